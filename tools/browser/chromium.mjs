// @ts-check
// Starts the Chromium of this machine without a window, for tests and benchmarks.

import { chromium } from 'playwright-core';
import { chromium as chromiumProgram } from '../setup/machine.mjs';
import { SetupError } from '../setup/terminal.mjs';

/** Error: SetupError where there is none. */
export async function launchChromium() {
  const executablePath = chromiumProgram();
  if (executablePath === undefined)
    throw new SetupError('Chromium was not found: install it, or name its program in FUSELANE_CHROMIUM');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ], // prettier-ignore
  });
}
