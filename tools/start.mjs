// `npm start`: sets up what is missing, builds, reads the text in a picture in the terminal (tools/read_text), then
// serves the demo in which a browser does the same, until Ctrl-C.
//   [--image FILE] [--once] [--port NUMBER] [--host NAME]

import { parseArgs } from 'node:util';
import { runMain, setUp } from './setup/setup.mjs';
import { buildPackage } from './setup/build.mjs';
import { SetupError, showProgress } from './setup/terminal.mjs';

const kPort = 4173;

function request() {
  try {
    const { values } = parseArgs({
      options: {
        image: { type: 'string' },
        once: { type: 'boolean' },
        port: { type: 'string', default: String(kPort) },
        host: { type: 'string', default: 'localhost' },
      },
    });
    const port = Number(values.port);
    if (!(Number.isInteger(port) && port > 0 && port < 65536))
      throw new Error(`"${values.port}" is no port: a number from 1 to 65535 is expected`);
    return { ...values, port };
  } catch (error) {
    throw new SetupError(error instanceof Error ? error.message : String(error));
  }
}

await runMain(async () => {
  const { image, once, port, host } = request();
  await setUp();
  await showProgress('build', buildPackage);
  const program = new URL('../dist/read_text/read_text.js', import.meta.url);
  const { readText } = await import(program.href);
  const code = await readText(image);
  if (once || code !== 0) return code;
  // Vite is there only after the set-up.
  const { buildSite } = await import('./site/build.mjs');
  const { serveSite } = await import('./site/serve.mjs');
  console.log();
  await showProgress('demo', buildSite);
  const { url } = await serveSite({ port, host });
  console.log(`\nThe same in a browser: ${url} (Ctrl-C ends)`);
});
