// `npm run format`: rewrites every source file in the house's format. `npm run format -- --check` only says
// what is not.

import { rmSync } from 'node:fs';
import { format } from './setup/checks.mjs';
import { root } from './setup/machine.mjs';
import { runMain, setUp } from './setup/setup.mjs';

await runMain(async () => {
  await setUp();
  const log = `${root}/.cache/format.log`;
  rmSync(log, { force: true });
  await format({ log, write: !process.argv.includes('--check') });
});
