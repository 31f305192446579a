// What the global scope of this page or worker can do for an engine, and why not.

/** Workers have no document, and older browsers do not say whether a page is isolated. */
const scope: {
  readonly crossOriginIsolated?: boolean;
  readonly document?: Document;
  readonly Worker?: unknown;
} = globalThis;

export const isPage = (): boolean => scope.document !== undefined;

export const canMakeWorkers = (): boolean => scope.Worker !== undefined;

export const isIsolated = (): boolean => scope.crossOriginIsolated === true;

/** Shared memory needs cross-origin isolation, and in some browsers is missing even then. */
export function whyNoSharedMemory(): string | undefined {
  if (scope.crossOriginIsolated === false)
    return 'memory cannot be shared here: serve the page and its scripts with Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
  if (typeof SharedArrayBuffer === 'undefined') return 'this browser has no SharedArrayBuffer';
  return undefined;
}

/** Of an engine in the calling thread. */
export function whyOneThreadHere(): string | undefined {
  if (isPage())
    return "worker: false runs the engine in the page's own thread, which may not wait for others";
  if (!canMakeWorkers())
    return 'worker: false runs the engine in a kind of worker that cannot start others, such as a service worker';
  return whyNoSharedMemory();
}
