// What the core calls to read a model: synchronous copies from chunks or a blob into the heap.

import { kChunkBytes } from './chunks.js';

/** Bytes that can be copied at once, or not: then it throws, and the sentence is the error's. */
export interface Reader {
  readonly size: number;
  /** What the server said that gave the bytes. */
  readonly answer?: string | undefined;
  /** Fills `destination` from `offset` on; the caller has checked that it lies within the size. */
  read(offset: number, destination: Uint8Array): void;
  /** The core needs it no more. */
  close(): void;
}

export class ChunkReader implements Reader {
  readonly size: number;
  private readonly chunks: Uint8Array[];

  constructor(
    chunks: readonly ArrayBuffer[],
    readonly answer?: string,
  ) {
    this.chunks = chunks.map((chunk) => new Uint8Array(chunk));
    this.size = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  }

  read(offset: number, destination: Uint8Array): void {
    for (let done = 0; done < destination.length;) {
      const at = (offset + done) % kChunkBytes;
      const chunk = this.chunks[Math.floor((offset + done) / kChunkBytes)];
      const part = chunk?.subarray(at, at + destination.length - done);
      if (!part?.length) throw new Error('its bytes end too early');
      destination.set(part, done);
      done += part.length;
    }
  }

  close(): void {
    this.chunks.length = 0;
  }
}

/** Only workers in pages have it; TypeScript knows it in another library than `dom`. */
declare const FileReaderSync: undefined | (new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer });

export const canReadBlobs = (): boolean => typeof FileReaderSync !== 'undefined';

/** A file the person has chosen stays on the disk. */
export class BlobReader implements Reader {
  readonly size: number;

  constructor(private readonly blob: Blob) {
    this.size = blob.size;
  }

  read(offset: number, destination: Uint8Array): void {
    if (typeof FileReaderSync === 'undefined') throw new Error('this thread cannot read blobs at once');
    const part = this.blob.slice(offset, offset + destination.length);
    destination.set(new Uint8Array(new FileReaderSync().readAsArrayBuffer(part)));
  }

  close(): void {}
}
