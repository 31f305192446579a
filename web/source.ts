// Turns what the caller gives as a model into what the host can open. URLs, paths and blobs are opened where the
// engine is; bytes are copied, responses and streams read, into chunks of our own: nothing of the caller's is detached.

import { chunksOfBytes, chunksOfStream } from './chunks.js';
import { readResponse } from './download.js';
import { FuselaneError, cancelled } from './errors.js';
import type { SourceMessage } from './messages.js';
import type { LoadOptions, Source } from './types.js';

export type Locate = (
  place: string | URL,
) => { readonly kind: 'url'; readonly url: string } | { readonly kind: 'path'; readonly path: string };

interface Packed {
  readonly message: SourceMessage;
  /** How messages call the source. */
  readonly name: string;
}

/** Errors: invalid-argument, read-failed, invalid-model (an HTML page), cancelled. */
export async function sourceMessage(
  given: Source,
  locate: Locate,
  { onProgress, signal }: LoadOptions,
): Promise<Packed> {
  if (signal?.aborted) throw cancelled(signal.reason);
  const source: unknown = given;
  if (typeof source === 'string' || tagOf(source) === 'URL') {
    const message = locate(source as string | URL);
    return { message, name: message.kind === 'path' ? message.path : message.url };
  }
  if (isBytes(source)) {
    const name = 'the given bytes';
    return chunked(await chunksOfBytes(bytesOf(source), name, onProgress, signal), name);
  }
  switch (tagOf(source)) {
    case 'Blob':
    case 'File': {
      const blob = source as Blob;
      onProgress?.({ loaded: blob.size, total: blob.size });
      return { message: { kind: 'blob', blob }, name: (blob as Partial<File>).name ?? 'the given blob' };
    }
    case 'Response': {
      const response = source as Response;
      const name = response.url || 'the given response';
      const { chunks, answer } = await readResponse(response, name, onProgress, signal);
      return chunked(chunks, name, answer);
    }
    case 'ReadableStream': {
      const name = 'the given stream';
      const stream = source as ReadableStream<Uint8Array>;
      return chunked(await chunksOfStream(stream, name, undefined, onProgress, signal), name);
    }
  }
  const found = source === null ? 'null' : typeof source === 'object' ? tagOf(source) : typeof source;
  const message = `a model is loaded from a URL, a path (in Node), bytes, a Blob, a Response or a ReadableStream, not from ${found}`;
  throw new FuselaneError('invalid-argument', message, { subject: 'source' });
}

const chunked = (chunks: ArrayBuffer[], name: string, answer?: string): Packed => ({
  message: { kind: 'chunks', chunks, ...(answer !== undefined && { answer }) },
  name,
});

/** The kind of object it is, also when it was made by another frame or context. */
const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

function isBytes(value: unknown): value is ArrayBufferLike | ArrayBufferView {
  return ArrayBuffer.isView(value) || /^(Shared)?ArrayBuffer$/.test(tagOf(value));
}

/** All bytes of a buffer or view, not copied. */
export function bytesOf(value: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : new Uint8Array(value);
}
