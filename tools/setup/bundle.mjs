// @ts-check
// What pages load, from the modules in build/web/: a file for each entry, so that a page waits for its scripts once and
// for the worker's once, instead of once for each level of imports.

import { copyFileSync, readdirSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { root } from './machine.mjs';

const modules = `${root}/build/web`;

/**
 * The entries, and what each leaves for later in a file of its own: most pages never load what `worker: false` needs,
 * and threads of such an engine start the glue by itself.
 * @type {Record<string, string[]>}
 */
const entries = {
  'index.js': ['./web_here.js'],
  'service_worker.js': ['./web-glue.js'],
  'web_here.js': ['./web-glue.js'],
  'worker.js': [],
  'worker_single.js': [],
};

/** The modules that Node imports one by one. */
export const modulesOfNode = () =>
  readdirSync(modules).filter(
    (file) => file.endsWith('.js') && !(file in entries) && !/^(web|worker)/.test(file),
  );

export async function bundlePages() {
  copyFileSync(`${modules}/web-glue.js`, `${root}/dist/web-glue.js`);
  for (const [entry, external] of Object.entries(entries)) {
    const bundle = await rolldown({ input: `${modules}/${entry}`, external, platform: 'browser' });
    await bundle.write({ file: `${root}/dist/${entry}`, format: 'es' });
    await bundle.close();
  }
}
