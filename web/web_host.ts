// What the host needs from a page or its worker.

import { answerOf, refusedAnswerOf } from './answers.js';
import { chunksOfBlob } from './chunks.js';
import { compileBytes, unusable } from './core.js';
import { download } from './download.js';
import { FuselaneError, reasonOf } from './errors.js';
import type { HostParts } from './host.js';
import { BlobReader, canReadBlobs, ChunkReader } from './readers.js';
import { turnOfEvents } from './turns.js';

export const webParts: Pick<HostParts, 'cores' | 'compileUrl' | 'open' | 'pause'> = {
  cores: () => navigator.hardwareConcurrency,

  compileUrl: async (url) => {
    const response = await fetchWasm(url);
    if (!/^application\/wasm\b/i.test(response.headers.get('content-type') ?? '')) {
      // Servers that do not know wasm are common: the bytes decide, the type is only named when they are wrong.
      const bytes = await bytesOfAnswer(response, url);
      return compileBytes(bytes, url, `${answerOf(response, bytes.subarray(0, 256))}; ${kHint}`);
    }
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (error) {
      throw unusable(url, error);
    }
  },

  open: async (source, name, onProgress, signal) => {
    switch (source.kind) {
      case 'url': {
        const { chunks, answer } = await download(source.url, onProgress, signal);
        return new ChunkReader(chunks, answer);
      }
      case 'blob':
        return canReadBlobs()
          ? new BlobReader(source.blob)
          : new ChunkReader(await chunksOfBlob(source.blob, name, signal));
      case 'chunks':
        return new ChunkReader(source.chunks, source.answer);
      case 'path':
        throw new FuselaneError('read-failed', 'a page has no paths', { subject: source.path });
    }
  },

  pause: turnOfEvents,
};

async function bytesOfAnswer(response: Response, url: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    const message = `reading ${url} failed (${reasonOf(error)}): load the page again`;
    throw new FuselaneError('engine-unavailable', message, { subject: url }, error);
  }
}

const kHint = "put the engine's wasm files beside its JavaScript, or give wasmUrl";

async function fetchWasm(url: string): Promise<Response> {
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    const message = `${url} could not be fetched (${reasonOf(error)}): ${kHint}`;
    throw new FuselaneError('engine-unavailable', message, { subject: url }, error);
  }
  if (response.ok) return response;
  const message = `${url} was answered with ${await refusedAnswerOf(response)}: ${kHint}`;
  throw new FuselaneError('engine-unavailable', message, { subject: url });
}
