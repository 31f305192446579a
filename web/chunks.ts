// A model's bytes outside the wasm heap, in chunks of equal size (the last one may be shorter) that the core reads
// from as it needs them. In: streams, responses, blobs, bytes. The chunks are always our own copies.

import { cancelled, FuselaneError, reasonOf } from './errors.js';
import type { Progress } from './types.js';

/** Large enough that a model of 100 MB has a few dozen, small enough that the unused rest of the last does not matter. */
export const kChunkBytes = 4 << 20;

/** Fills chunk after chunk. */
export class ChunkWriter {
  private readonly chunks: Uint8Array<ArrayBuffer>[] = [];
  private used = kChunkBytes;
  size = 0;

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.used === kChunkBytes) {
        this.chunks.push(new Uint8Array(kChunkBytes));
        this.used = 0;
      }
      const part = bytes.subarray(at, at + kChunkBytes - this.used);
      this.chunks.at(-1)?.set(part, this.used);
      this.used += part.length;
      at += part.length;
    }
    this.size += bytes.length;
  }

  finish(): ArrayBuffer[] {
    const last = this.chunks.pop();
    if (last) this.chunks.push(last.slice(0, this.used));
    return this.chunks.map((chunk) => chunk.buffer);
  }
}

export function chunksOfBytes(bytes: Uint8Array): ArrayBuffer[] {
  const writer = new ChunkWriter();
  writer.write(bytes);
  return writer.finish();
}

export async function chunksOfBlob(blob: Blob): Promise<ArrayBuffer[]> {
  const chunks = [];
  for (let at = 0; at < blob.size; at += kChunkBytes)
    chunks.push(await blob.slice(at, at + kChunkBytes).arrayBuffer());
  return chunks;
}

type OnProgress = ((progress: Progress) => void) | undefined;

/** Reads a stream to its end. Errors: read-failed, cancelled. */
export async function chunksOfStream(
  stream: ReadableStream<Uint8Array>,
  name: string,
  total: number | undefined,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<ArrayBuffer[]> {
  const writer = new ChunkWriter();
  const reader = lockStream(stream, name);
  const stop = (): void => void reader.cancel(signal?.reason).catch(() => {});
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (signal?.aborted) throw cancelled(signal.reason);
      if (done) break;
      if (!(value instanceof Uint8Array)) throw new TypeError('it delivers something other than Uint8Array');
      writer.write(value);
      onProgress?.({ loaded: writer.size, ...(total !== undefined && { total }) });
    }
  } catch (error) {
    stop();
    if (signal?.aborted) throw cancelled(signal.reason);
    const after = `after ${writer.size} bytes: ${reasonOf(error)}`;
    throw new FuselaneError('read-failed', `reading ${name} failed ${after}`, { subject: name }, error);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  return writer.finish();
}

function lockStream(
  stream: ReadableStream<Uint8Array>,
  name: string,
): ReadableStreamDefaultReader<Uint8Array> {
  try {
    return stream.getReader();
  } catch (error) {
    const message = `${name} is being read by someone else already: give a response or stream that was not used`;
    throw new FuselaneError('read-failed', message, { subject: name }, error);
  }
}

/** Reads the body of a good answer. Errors: read-failed with URL and status, invalid-model for a page, cancelled. */
export async function chunksOfResponse(
  response: Response,
  name: string,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<ArrayBuffer[]> {
  const status = `${response.status} ${response.statusText}`.trim();
  if (!response.ok) {
    void response.body?.cancel().catch(() => {});
    const message = `${name} was answered with status ${status}; a model was expected: check the URL`;
    throw new FuselaneError('read-failed', message, { subject: name });
  }
  if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
    void response.body?.cancel().catch(() => {});
    const message = `${name} was answered with an HTML page (status ${status}); a model was expected: check the URL`;
    throw new FuselaneError('invalid-model', message, { subject: name });
  }
  if (!response.body) return [];
  // With a content encoding the length is that of the compressed bytes.
  const length = response.headers.get('content-encoding') ? null : response.headers.get('content-length');
  return chunksOfStream(
    response.body,
    name,
    length === null ? undefined : Number(length),
    onProgress,
    signal,
  );
}

/** Downloads a URL. Errors: those of chunksOfResponse. */
export async function download(
  url: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<ArrayBuffer[]> {
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (signal.aborted) throw cancelled(signal.reason);
    const message = `${url} could not be fetched (${reasonOf(error)}): check the address, the network and, on another origin, its CORS headers`;
    throw new FuselaneError('read-failed', message, { subject: url }, error);
  }
  return chunksOfResponse(response, url, onProgress, signal);
}
