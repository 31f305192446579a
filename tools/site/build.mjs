// @ts-check
// Builds the demo into site/ with Vite: static files for any folder of any server. Expects the package in dist/.

import { root } from '../setup/machine.mjs';
import { run } from '../setup/terminal.mjs';

/** @param {import('../setup/terminal.mjs').Progress} [progress] */
export async function buildSite(progress) {
  if (progress) progress.part = 'site';
  const options = { log: `${root}/.cache/build/site.log`, cwd: root, ...(progress && { progress }) };
  await run(`${root}/node_modules/.bin/vite`, ['build', 'demos'], options);
}
