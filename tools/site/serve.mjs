// @ts-check
// Serves the built demo with the headers that make it cross-origin isolated (demos/vite.config.mjs has them).

import { preview } from 'vite';
import { root } from '../setup/machine.mjs';

/**
 * @param {{ port: number, host?: string }} where the next free port is taken where this one is not
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serveSite({ port, host = 'localhost' }) {
  const server = await preview({
    root: `${root}/demos`,
    logLevel: 'error',
    preview: { port, host },
  });
  const { local = [], network = [] } = server.resolvedUrls ?? {};
  return { url: [...local, ...network].join(' '), close: () => server.close() };
}
