// @ts-check
// Builds the demo into site/, which works from any folder of a static server, and serves it to the developer isolated.
// The page imports the package as its users do; `npm run build` has to be there first.

import { defineConfig } from 'vite';

const site = new URL('../site', import.meta.url).pathname;

/** With these two a page is cross-origin isolated: its threads can share memory. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** Nothing from elsewhere, no inline script, no eval. */
const policy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self' blob:";

export default defineConfig({
  base: './',
  build: {
    outDir: site,
    emptyOutDir: true,
    target: 'es2022',
    // Files stay files: a careful site allows no data: addresses, and the networks are too large for them.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  server: { headers: isolation },
  preview: { headers: { ...isolation, 'Content-Security-Policy': policy } },
});
