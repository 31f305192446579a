// A host in the calling thread of a page or worker, for `worker: false`. The core without threads comes with it, since a
// service worker may import nothing later; the one with threads when it is wanted.

import { channelHere } from './here.js';
import type { Channel, Listener } from './messages.js';
import { webParts } from './web_host.js';
import { whyOneThreadHere } from './web_scope.js';
import singleGlue from './web-single-glue.js';

export async function hostHere(listener: Listener): Promise<Channel> {
  const oneThreadBecause = whyOneThreadHere();
  if (oneThreadBecause !== undefined) {
    const wasmUrl = new URL('./fuselane-single.wasm', import.meta.url).href;
    return channelHere(
      { ...webParts, build: 'single', glue: singleGlue, wasmUrl, oneThreadBecause },
      listener,
    );
  }
  const { default: glue } = await import('./web-glue.js');
  const wasmUrl = new URL('./fuselane.wasm', import.meta.url).href;
  const threadScript = new URL('./web-glue.js', import.meta.url).href;
  return channelHere({ ...webParts, build: 'threads', glue, wasmUrl, threadScript }, listener);
}
