// `npm run site`: sets up what is missing, builds, and leaves the demo's static site in site/.

import { buildPackage } from './setup/build.mjs';
import { runMain, setUp } from './setup/setup.mjs';
import { showProgress } from './setup/terminal.mjs';
import { buildSite } from './site/build.mjs';

await runMain(async () => {
  await setUp();
  await showProgress('build', async (progress) => {
    await buildPackage(progress);
    await buildSite(progress);
  });
  console.log(
    'The site is in site/. It works from any folder of a static server; for threads the server has to send\n' +
      'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp with the page.',
  );
});
