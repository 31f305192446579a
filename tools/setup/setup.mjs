// The set-up behind `npm start`, `npm test` and `npm run setup`: an ordered list of steps, each with a quick
// check and an action. Afterwards every step's check holds. A second run only checks, in well under a second.
// Node's built-ins only, because nothing else is there yet.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { emscriptenStep } from './emscripten.mjs';
import { root } from './machine.mjs';
import { nodeStep } from './node.mjs';
import { npmStep } from './npm.mjs';
import { packagesStep } from './packages.mjs';
import { showProgress, SetupError } from './terminal.mjs';

/** @typedef {{ log: string, progress: import('./terminal.mjs').Progress }} Context */
/** @typedef {{ name: string, satisfied: () => boolean, action: (context: Context) => Promise<void> }} Step */

const workFolder = `${root}/.cache/setup`; // logs and the lock

/** @type {Step[]} */
const steps = [nodeStep, packagesStep, npmStep, emscriptenStep];

/** Brings whatever is missing. Throws a SetupError that says what a person must do. */
export async function setUp() {
  if (steps.every((step) => step.satisfied())) return;
  const unlock = await lock();
  try {
    await bringMissing();
  } finally {
    unlock();
  }
}

/** Two set-ups in one folder would step on each other: the second one waits. Returns what ends the lock. */
async function lock() {
  mkdirSync(workFolder, { recursive: true });
  const file = `${workFolder}/lock`;
  for (let told = false; ; told = true) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    if (!isAlive(ownerOf(file))) rmSync(file, { force: true });
    else if (!told) console.log('Another set-up works in this folder: waiting for it to end …');
    await sleep(500);
  }
}

/** @param {string} file */
function ownerOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0; // it has just ended
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0); // 0 is our own group: a lock whose owner is not written yet
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

async function bringMissing() {
  const missing = steps.filter((step) => !step.satisfied());
  for (const [index, step] of missing.entries()) {
    const log = `${workFolder}/${step.name.toLowerCase().replace(/ /g, '_')}.log`;
    rmSync(log, { force: true });
    const title = `set-up ${index + 1}/${missing.length}, ${step.name}`;
    await showProgress(title, (progress) => step.action({ log, progress }));
    if (!step.satisfied())
      throw new SetupError(
        `${step.name}: the step ended well, but what it should bring is still missing (${log})`,
      );
  }
}

/**
 * Runs a script's main function and turns its outcome into the exit code; errors meant for a person are printed
 * without a stack.
 * @param {() => Promise<number | void>} main
 */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    console.error(error instanceof SetupError ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
