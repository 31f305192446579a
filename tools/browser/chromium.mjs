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
    // A program that is told to end does so, and Chromium with it, whose pipe closes. Playwright's handler would
    // only ask the browser to close, and where that is what hangs, nobody would end at all.
    handleSIGTERM: false,
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ], // prettier-ignore
  });
}
