// What the host needs from Node: files are read where they lie, so that a model is never whole in memory.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { chunksOfBlob } from './chunks.js';
import { compileBytes, type Glue } from './core.js';
import { download } from './download.js';
import { FuselaneError, reasonOf } from './errors.js';
import type { HostParts } from './host.js';
import createCore from './node-glue.js';
import { ChunkReader, type Reader } from './readers.js';

/**
 * The glue puts Node's Worker class into the global scope, where it looks for it when threads begin. It does not stay
 * there: other libraries would take Node for a page.
 */
const glue: Glue = async (options) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'Worker');
  const restore = (): void => {
    delete (globalThis as { Worker?: unknown }).Worker;
    if (before) Object.defineProperty(globalThis, 'Worker', before);
  };
  const core = await createCore(options).finally(restore);
  const { begin } = core;
  core.begin = (...args) => {
    Object.defineProperty(globalThis, 'Worker', { value: Worker, configurable: true });
    try {
      begin(...args);
    } finally {
      restore();
    }
  };
  return core;
};

export const nodeParts: HostParts = {
  build: 'threads',
  glue,
  wasmUrl: fileURLToPath(new URL('./fuselane.wasm', import.meta.url)),

  cores: () => availableParallelism(),

  compileUrl: async (url) => {
    const bytes = await wasmBytes(url);
    return compileBytes(bytes, url);
  },

  open: async (source, name, onProgress, signal) => {
    switch (source.kind) {
      case 'path': {
        const reader = new FileReader(source.path);
        onProgress({ loaded: reader.size, total: reader.size });
        return reader;
      }
      case 'url': {
        const { chunks, answer } = await download(source.url, onProgress, signal);
        return new ChunkReader(chunks, answer);
      }
      case 'blob':
        return new ChunkReader(await chunksOfBlob(source.blob, name, signal));
      case 'chunks':
        return new ChunkReader(source.chunks, source.answer);
    }
  },

  pause: () => turnOfEvents(),
};

/** From a path or a URL that Node can fetch. */
async function wasmBytes(place: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    if (!/^(https?|data|blob):/i.test(place)) return new Uint8Array(await readFile(place));
    const response = await fetch(place);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    const message = `${place} cannot be read (${reasonOf(error)}): the engine's wasm is expected beside its JavaScript, or where wasmUrl says`;
    throw new FuselaneError('engine-unavailable', message, { subject: place }, error);
  }
}

/** A file that stays open until the model is disposed of. */
class FileReader implements Reader {
  readonly size: number;
  private readonly file: number;

  constructor(private readonly path: string) {
    try {
      this.file = openSync(path, 'r');
    } catch (error) {
      throw this.refuse(`cannot be opened (${reasonOf(error)}): check the path`, error);
    }
    const status = fstatSync(this.file);
    this.size = status.size;
    if (status.isFile()) return;
    this.close();
    throw this.refuse(`is not a file: give the path of a model's file`);
  }

  read(offset: number, destination: Uint8Array): void {
    for (let done = 0; done < destination.length;) {
      const count = readSync(this.file, destination, done, destination.length - done, offset + done);
      if (count === 0) throw new Error('the file has become shorter since it was opened');
      done += count;
    }
  }

  close(): void {
    closeSync(this.file);
  }

  private refuse(what: string, cause?: unknown): FuselaneError {
    return new FuselaneError('read-failed', `${this.path} ${what}`, { subject: this.path }, cause);
  }
}
