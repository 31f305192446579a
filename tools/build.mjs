// `npm run build`: sets up what is missing, leaves the package in dist/ and prints the size of the wasm core
// by room.

import { buildPackage } from './setup/build.mjs';
import { root } from './setup/machine.mjs';
import { runMain, setUp } from './setup/setup.mjs';
import { showProgress } from './setup/terminal.mjs';
import { sizeByRoom } from './size_by_room.mjs';

await runMain(async () => {
  await setUp();
  await showProgress('build', buildPackage);
  console.log(sizeByRoom(`${root}/build/wasm/web-glue`).text);
});
