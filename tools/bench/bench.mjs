// @ts-check
// `npm run bench`: sets up what is missing, builds, then measures: run.mjs, which also takes the arguments.

import { buildPackage } from '../setup/build.mjs';
import { runMain, setUp } from '../setup/setup.mjs';
import { showProgress } from '../setup/terminal.mjs';

await runMain(async () => {
  await setUp();
  await showProgress('build', buildPackage);
  // Only now are its packages there, and dist/, which makes its inputs.
  const { run } = await import('./run.mjs');
  return run(process.argv.slice(2));
});
