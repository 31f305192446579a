// Pages: where the host runs, and what a text means as a source.

import type { Platform } from './api.js';
import { FuselaneError, reasonOf, type PlainError } from './errors.js';
import type { Channel, FromHost, Listener } from './messages.js';
import type { EngineOptions } from './types.js';

/** Workers have no document, and older browsers do not say whether a page is isolated. */
const scope: { readonly crossOriginIsolated?: boolean; readonly document?: Document } = globalThis;

/** Shared memory needs cross-origin isolation, and in some browsers is missing even then. */
const hasSharedMemory = (): boolean =>
  typeof SharedArrayBuffer !== 'undefined' && scope.crossOriginIsolated !== false;

export const webPlatform: Platform = {
  openChannel: (options) => async (listener) => {
    const threads = hasSharedMemory();
    if (options.worker !== false) return workerChannel(makeWorker(options, threads), threads, listener);
    const { hostHere } = await import('./web_here.js');
    return hostHere(threads, listener);
  },
  locate: (place) => ({
    kind: 'url',
    url: new URL(place, scope.document?.baseURI ?? location.href).href,
  }),
};

function makeWorker({ createWorker }: EngineOptions, threads: boolean): Worker {
  const file = threads ? 'worker.js' : 'worker_single.js';
  try {
    if (createWorker) return createWorker(file) as Worker;
    // Bundlers look for this form, with the name in it.
    return threads
      ? new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'fuselane' })
      : new Worker(new URL('./worker_single.js', import.meta.url), { type: 'module', name: 'fuselane' });
  } catch (error) {
    const message = `the engine's worker could not be made (${reasonOf(error)}): serve ${file} from the page's own origin, or give createWorker`;
    throw new FuselaneError('engine-unavailable', message, { subject: file }, error);
  }
}

function workerChannel(worker: Worker, threads: boolean, listener: Listener): Channel {
  let answered = false;
  worker.onmessage = ({ data }: MessageEvent<FromHost>) => {
    answered = true;
    listener.message(data);
  };
  // A script that cannot be fetched gives an event without a message.
  worker.onerror = (event) => {
    const reason = event.message ? ` (${event.message})` : '';
    listener.ended(answered ? stopped(reason) : notStarted(reason));
    worker.terminate();
  };
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    takesFlags: threads,
    hold: () => {},
    end: () => {
      worker.terminate();
      return Promise.resolve();
    },
  };
}

const stopped = (reason: string): PlainError => ({
  code: 'engine-ended',
  message: `the engine's worker stopped${reason}: make a new engine and load the models again`,
});

const notStarted = (reason: string): PlainError => ({
  code: 'engine-unavailable',
  message: `the engine's worker did not start${reason}: its file and those beside it in dist/ must be served as JavaScript; with a bundler, give createWorker`,
});
