// Pages: where the host runs, and what a text means as a source.

import type { Platform } from './api.js';
import { FuselaneError, reasonOf, type PlainError } from './errors.js';
import type { OpenChannel } from './connection.js';
import type { Channel, FromHost, Listener, Lives } from './messages.js';
import type { EngineOptions } from './types.js';
import { canMakeWorkers, isPage, whyNoSharedMemory } from './web_scope.js';
import { badScript } from './worker_scripts.js';

/** `hostHere` opens a host in the calling thread, for `worker: false`. */
export const webPlatform = (hostHere: OpenChannel): Platform => ({
  openChannel: (options) => (listener) => {
    if (options.worker === false) return hostHere(listener);
    const threads = whyNoSharedMemory() === undefined;
    const file = threads ? 'worker.js' : 'worker_single.js';
    const script = options.createWorker ? undefined : scriptOf(file);
    return workerChannel(makeWorker(options, threads, file), script, threads, listener);
  },
  locate: (place) => {
    const base = isPage() ? document.baseURI : location.href;
    try {
      return { kind: 'url', url: new URL(place, base).href };
    } catch (error) {
      const text = String(place);
      const message = `"${text}" is no URL, seen from ${base} (${reasonOf(error)}): give an absolute one, such as https://example.com/model.onnx`;
      throw new FuselaneError('invalid-argument', message, { subject: text }, error);
    }
  },
});

/** Where a file of the package lies, as long as no bundler has given it another name. */
function scriptOf(file: string): string | undefined {
  // Apart: bundlers take `new URL(…, import.meta.url)` with a text that is put together for all files of the folder.
  const here = import.meta.url;
  return /\/index\.js$/.test(here) ? new URL(file, here).href : undefined;
}

function makeWorker({ createWorker }: EngineOptions, threads: boolean, file: string): Worker {
  const unavailable = (reason: string, cause?: unknown): FuselaneError => {
    const message = `the engine's worker could not be made (${reason}): serve ${file} from the page's own origin, or give createWorker; in a service worker and other workers that cannot make more, use worker: false`;
    return new FuselaneError('engine-unavailable', message, { subject: file }, cause);
  };
  if (!createWorker && !canMakeWorkers()) throw unavailable('there is no Worker here');
  let worker;
  try {
    // Bundlers look for this form, with the name in it.
    worker = createWorker
      ? createWorker(file)
      : threads
        ? new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'fuselane' })
        : new Worker(new URL('./worker_single.js', import.meta.url), { type: 'module', name: 'fuselane' });
  } catch (error) {
    throw unavailable(reasonOf(error), error);
  }
  if (Object.prototype.toString.call(worker) !== '[object Worker]')
    throw unavailable('createWorker did not return a Worker');
  return worker as Worker;
}

function workerChannel(
  worker: Worker,
  script: string | undefined,
  threads: boolean,
  listener: Listener,
): Channel {
  let answered = false;
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
    worker.terminate();
  };
  worker.onmessage = ({ data }: MessageEvent<FromHost | Lives>) => {
    answered = true;
    if ('lives' in data)
      void untilReleased(data.lives, ending.signal).then(() => listener.ended(stopped('')));
    else listener.message(data);
  };
  worker.onmessageerror = () => {
    end();
    listener.ended(stopped(' because a message could not be read'));
  };
  // A script that cannot be fetched gives an event without a message.
  worker.onerror = (event) => {
    end();
    const reason = event.message ? ` (${event.message})` : '';
    if (answered) listener.ended(stopped(reason));
    else void whyNotStarted(script, reason).then((error) => listener.ended(error));
  };
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    takesFlags: threads,
    hold: () => {},
    end: () => {
      end();
      return Promise.resolve();
    },
  };
}

/**
 * Settles when the worker that holds the lock has ended: a worker that is terminated gives no event. The worker that
 * ends before it says that it lives is not noticed, nor one in a page without locks (http: other than localhost).
 */
function untilReleased(lock: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const request = navigator.locks.request(lock, { signal }, () => resolve());
    request.catch(() => {}); // the signal
  });
}

const stopped = (reason: string): PlainError => ({
  code: 'engine-ended',
  message: `the engine's worker ended${reason}: make a new engine and load the models again`,
});

async function whyNotStarted(script: string | undefined, reason: string): Promise<PlainError> {
  const bad = script === undefined ? undefined : await badScript(script);
  const hint =
    bad ??
    "its file and those beside it in dist/ must be served as JavaScript, a Content-Security-Policy must have worker-src 'self', and with a bundler createWorker may be needed";
  const message = `the engine's worker ${script ?? ''} did not start${reason}: ${hint}`;
  return { code: 'engine-unavailable', message, ...(script !== undefined && { subject: script }) };
}
