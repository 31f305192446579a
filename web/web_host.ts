// What the host needs from a page or its worker.

import { chunksOfBlob, download } from './chunks.js';
import { compileBytes, unusable } from './core.js';
import { FuselaneError, reasonOf } from './errors.js';
import type { HostParts } from './host.js';
import { BlobReader, canReadBlobs, ChunkReader } from './readers.js';

export const notIsolated =
  'memory cannot be shared here: serve the page with Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';

export const webParts: Pick<HostParts, 'cores' | 'compileUrl' | 'open' | 'pause'> = {
  cores: () => navigator.hardwareConcurrency,

  compileUrl: async (url) => {
    const response = await fetchWasm(url);
    const type = response.headers.get('content-type') ?? 'no type';
    if (!/^application\/wasm\b/.test(type)) {
      // Servers that do not know wasm are common: the bytes decide, the type is only named when they are wrong.
      return compileBytes(new Uint8Array(await response.arrayBuffer()), `${url} (served as ${type})`);
    }
    try {
      return await WebAssembly.compileStreaming(response);
    } catch (error) {
      throw unusable(url, error);
    }
  },

  open: async (source, onProgress, signal) => {
    switch (source.kind) {
      case 'url':
        return new ChunkReader(await download(source.url, onProgress, signal));
      case 'blob':
        return canReadBlobs()
          ? new BlobReader(source.blob)
          : new ChunkReader(await chunksOfBlob(source.blob));
      case 'chunks':
        return new ChunkReader(source.chunks);
      case 'path':
        throw new FuselaneError('read-failed', 'a page has no paths', { subject: source.path });
    }
  },

  // Timers wait 4 ms after a few turns, messages do not.
  pause: () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(null);
    }),
};

async function fetchWasm(url: string): Promise<Response> {
  const hint = "put the engine's wasm files beside its worker, or give wasmUrl";
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    const message = `${url} could not be fetched (${reasonOf(error)}): ${hint}`;
    throw new FuselaneError('engine-unavailable', message, { subject: url }, error);
  }
  if (response.ok) return response;
  const message = `${url} was answered with status ${response.status}: ${hint}`;
  throw new FuselaneError('engine-unavailable', message, { subject: url });
}
