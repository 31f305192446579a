// `npm run lint`: types and eslint over all TypeScript and JavaScript.

import { rmSync } from 'node:fs';
import { lint } from './setup/checks.mjs';
import { root } from './setup/machine.mjs';
import { runMain, setUp } from './setup/setup.mjs';

await runMain(async () => {
  await setUp();
  const log = `${root}/.cache/lint.log`;
  rmSync(log, { force: true });
  await lint({ log });
});
