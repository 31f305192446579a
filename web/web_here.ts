// A host in the calling thread of a page or worker; loaded only for `worker: false`.

import { channelHere } from './here.js';
import type { Channel, Listener } from './messages.js';
import { notIsolated, webParts } from './web_host.js';

const ownThread = "worker: false runs the engine in the page's own thread, which may not wait for others";

export async function hostHere(threads: boolean, listener: Listener): Promise<Channel> {
  if (threads) {
    const { default: glue } = await import('./web-glue.js');
    const wasmUrl = new URL('./fuselane.wasm', import.meta.url).href;
    const threadScript = new URL('./web-glue.js', import.meta.url).href;
    const oneThreadBecause = 'document' in globalThis ? ownThread : undefined;
    return channelHere(
      { ...webParts, build: 'threads', glue, wasmUrl, threadScript, oneThreadBecause },
      listener,
    );
  }
  const { default: glue } = await import('./web-single-glue.js');
  const wasmUrl = new URL('./fuselane-single.wasm', import.meta.url).href;
  return channelHere(
    { ...webParts, build: 'single', glue, wasmUrl, oneThreadBecause: notIsolated },
    listener,
  );
}
