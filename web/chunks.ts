// A model's bytes outside the wasm heap, in chunks of equal size (the last one may be shorter) that the core reads
// from as it needs them. In: streams, blobs, bytes. The chunks are always our own copies, and copying returns to the
// event loop every few milliseconds: it may be that of a page.

import { cancelled, FuselaneError, reasonOf } from './errors.js';
import { Stretch } from './turns.js';
import type { Progress } from './types.js';

/** Large enough that a model of 100 MB has a few dozen, small enough that the unused rest of the last does not matter. */
export const kChunkBytes = 4 << 20;

/** Copied at a stretch: 1 MB takes less than a millisecond where the memory is there, and a few where it is not yet. */
const kPieceBytes = 1 << 20;

export type OnProgress = ((progress: Progress) => void) | undefined;

/** Fills chunk after chunk. */
class ChunkWriter {
  private readonly chunks: Uint8Array<ArrayBuffer>[] = [];
  private readonly stretch = new Stretch();
  private used = kChunkBytes;
  size = 0;

  async write(bytes: Uint8Array): Promise<void> {
    const { length } = bytes;
    for (let at = 0; at < length;) {
      if (this.used === kChunkBytes) {
        this.chunks.push(new Uint8Array(kChunkBytes));
        this.used = 0;
      }
      const part = bytes.subarray(at, at + Math.min(kPieceBytes, kChunkBytes - this.used));
      if (!part.length) throw new Error('its buffer was transferred or shrunk while it was copied');
      this.chunks.at(-1)?.set(part, this.used);
      this.used += part.length;
      this.size += part.length;
      at += part.length;
      await this.stretch.rest();
    }
  }

  finish(): ArrayBuffer[] {
    const last = this.chunks.pop();
    if (last) this.chunks.push(last.slice(0, this.used));
    return this.chunks.map((chunk) => chunk.buffer);
  }
}

/** Errors: read-failed (the buffer goes away under it), cancelled. */
export async function chunksOfBytes(
  bytes: Uint8Array,
  name: string,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<ArrayBuffer[]> {
  const writer = new ChunkWriter();
  const total = bytes.length;
  for (let at = 0; at < total; at += kChunkBytes) {
    try {
      await writer.write(bytes.subarray(at, Math.min(total, at + kChunkBytes)));
      if (writer.size !== Math.min(total, at + kChunkBytes)) throw new Error('its buffer was transferred');
    } catch (error) {
      const message = `${name} cannot be read (${reasonOf(error)}): leave them alone until the model is loaded`;
      throw new FuselaneError('read-failed', message, { subject: name }, error);
    }
    if (signal?.aborted) throw cancelled(signal.reason);
    onProgress?.({ loaded: writer.size, total });
  }
  return writer.finish();
}

/** Errors: read-failed, cancelled. */
export async function chunksOfBlob(blob: Blob, name: string, signal: AbortSignal): Promise<ArrayBuffer[]> {
  const chunks = [];
  for (let at = 0; at < blob.size; at += kChunkBytes) {
    try {
      chunks.push(await blob.slice(at, at + kChunkBytes).arrayBuffer());
    } catch (error) {
      throw unreadable(name, error);
    }
    if (signal.aborted) throw cancelled(signal.reason);
  }
  return chunks;
}

function unreadable(name: string, error: unknown): FuselaneError {
  const message = `${name} cannot be read (${reasonOf(error)}): the file may have changed since it was chosen`;
  return new FuselaneError('read-failed', message, { subject: name }, error);
}

/** Reads a stream to its end. `total` is told as long as no more has come. Errors: read-failed, cancelled. */
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
      await writer.write(value);
      const isKnown = total !== undefined && writer.size <= total;
      onProgress?.({ loaded: writer.size, ...(isKnown && { total }) });
    }
  } catch (error) {
    stop();
    if (signal?.aborted) throw cancelled(signal.reason);
    const after = `after ${writer.size}${total === undefined ? '' : ` of ${total}`} bytes`;
    const message = `reading ${name} failed ${after} (${reasonOf(error)}): load it again`;
    throw new FuselaneError('read-failed', message, { subject: name }, error);
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
