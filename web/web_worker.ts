// A host behind the messages of a page's worker.

import type { Glue } from './core.js';
import { Host, type HostParts } from './host.js';
import type { ToHost } from './messages.js';
import { notIsolated, webParts } from './web_host.js';

/** A worker's global scope, which TypeScript knows in another library than `dom`. */
interface WorkerScope {
  readonly name: string;
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  onmessage: ((event: MessageEvent<ToHost>) => void) | null;
}

export function serve(build: HostParts['build'], glue: Glue, wasmUrl: URL): void {
  const scope = globalThis as unknown as WorkerScope;
  // The engine's threads run this script too, by this name: there the glue takes the messages.
  if (scope.name.startsWith('em-pthread')) return;
  const threadScript = location.href;
  const oneThreadBecause = build === 'single' ? notIsolated : undefined;
  const host = new Host(
    { ...webParts, build, glue, wasmUrl: wasmUrl.href, threadScript, oneThreadBecause },
    (message, transfer) => scope.postMessage(message, transfer),
  );
  scope.onmessage = ({ data }) => host.receive(data);
}
