// `npm run setup`: brings what is missing on this machine and does nothing else.

import { runMain, setUp } from './setup/setup.mjs';

await runMain(async () => {
  await setUp();
  console.log('Set-up: nothing is missing.');
});
