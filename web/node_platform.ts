// Node: where the host runs, and what a text means as a source.

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Platform } from './api.js';
import { FuselaneError, reasonOf, type PlainError } from './errors.js';
import type { Channel, FromHost, Listener } from './messages.js';
import type { NodeWorker } from './types.js';

export const nodePlatform: Platform = {
  openChannel: (options) => async (listener) => {
    if (options.worker !== false) {
      const file = 'node_worker.js';
      // Flags of the program (loaders, --input-type) are not for the worker, which some keep from starting.
      const start = (): Worker => new Worker(new URL(`./${file}`, import.meta.url), { execArgv: [] });
      const worker = options.createWorker?.(file) ?? start();
      return workerChannel(worker as NodeWorker, listener);
    }
    const { channelHere } = await import('./here.js');
    const { nodeParts } = await import('./node_host.js');
    return channelHere(nodeParts, listener);
  },
  locate: (place) => {
    const text = String(place);
    if (/^file:/i.test(text)) return { kind: 'path', path: pathOf(text) };
    if (/^(https?|data|blob):/i.test(text)) return { kind: 'url', url: text };
    return { kind: 'path', path: text };
  },
};

function pathOf(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    const message = `${url} names no file (${reasonOf(error)}): file URLs look like file:///folder/model.onnx`;
    throw new FuselaneError('invalid-argument', message, { subject: url }, error);
  }
}

function workerChannel(worker: NodeWorker, listener: Listener): Channel {
  worker.on('message', (message: FromHost) => listener.message(message));
  worker.on('error', (error: unknown) => listener.ended(ended(` (${reasonOf(error)})`)));
  worker.on('exit', () => listener.ended(ended('')));
  worker.on('messageerror', (error: unknown) => {
    void worker.terminate();
    listener.ended(ended(` (${reasonOf(error)})`));
  });
  // Idle engines do not keep the process alive.
  worker.unref();
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    takesFlags: true,
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    end: async () => {
      await worker.terminate();
    },
  };
}

const ended = (reason: string): PlainError => ({
  code: 'engine-ended',
  message: `the engine's worker ended${reason}: make a new engine and load the models again`,
});
