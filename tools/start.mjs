// `npm start`: sets up what is missing, builds, then does the main job: reads the text in a picture. All arguments
// go to that program, tools/read_text/read_text.ts.

import { runMain, setUp } from './setup/setup.mjs';
import { buildPackage } from './setup/build.mjs';
import { showProgress } from './setup/terminal.mjs';

await runMain(async () => {
  await setUp();
  await showProgress('build', buildPackage);
  const program = new URL('../dist/read_text/read_text.js', import.meta.url);
  const { readText } = await import(program.href);
  return readText(process.argv.slice(2));
});
