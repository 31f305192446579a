// A host behind the messages of a page's worker.

import type { Glue } from './core.js';
import { Host, type HostParts } from './host.js';
import type { Lives, ToHost } from './messages.js';
import { webParts } from './web_host.js';
import { whyNoSharedMemory } from './web_scope.js';

/** A worker's global scope, which TypeScript knows in another library than `dom`. */
interface WorkerScope {
  readonly name: string;
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  onmessage: ((event: MessageEvent<ToHost>) => void) | null;
  onmessageerror: (() => void) | null;
}

export function serve(build: HostParts['build'], glue: Glue, wasmUrl: URL): void {
  const scope = globalThis as unknown as WorkerScope;
  // The engine's threads run this script too, by this name: there the glue takes the messages.
  if (scope.name.startsWith('em-pthread')) return;
  const threadScript = location.href;
  const oneThreadBecause =
    build === 'single' ? (whyNoSharedMemory() ?? 'createWorker gave the worker without threads') : undefined;
  const host = new Host(
    { ...webParts, build, glue, wasmUrl: wasmUrl.href, threadScript, oneThreadBecause },
    (message, transfer) => scope.postMessage(message, transfer),
  );
  scope.onmessage = ({ data }) => host.receive(data);
  scope.onmessageerror = () => {
    throw new Error('a message to the engine could not be read');
  };
  holdLock(scope);
}

/** The page sees by the release of the lock that this worker has ended, however it ends. */
function holdLock(scope: WorkerScope): void {
  const { locks } = navigator as { readonly locks?: LockManager };
  // Only what has an origin, over https: or on localhost, has locks.
  if (!locks) return;
  const lives = `fuselane ${crypto.randomUUID()}`;
  const hold = (): Promise<never> => {
    const message: Lives = { lives };
    scope.postMessage(message, []);
    return new Promise(() => {});
  };
  locks.request(lives, hold).catch(() => {});
}
