// @ts-check
// `npm run bench:load`: sets up what is missing, builds, then measures: loading.mjs, which also takes the arguments.

import { buildPackage } from '../setup/build.mjs';
import { runMain, setUp } from '../setup/setup.mjs';
import { showProgress } from '../setup/terminal.mjs';

await runMain(async () => {
  await setUp();
  await showProgress('build', buildPackage);
  const { run } = await import('./loading.mjs');
  return run(process.argv.slice(2));
});
