// Builds with CMake and TypeScript. Both find out by themselves what is up to date, so that a build with
// nothing to do takes about a second or two. All of it expects that setUp() has been there.

import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { output, root } from './machine.mjs';
import { run } from './terminal.mjs';

/** @typedef {import('./terminal.mjs').Progress} Progress */

const logs = `${root}/.cache/build`;

/**
 * What the package takes from the wasm builds: preset, file in its folder, file in dist/. Both glues of the build
 * with threads belong to the same wasm.
 */
const coreFiles = [
  ['wasm', 'web-glue.js', 'web-glue.js'],
  ['wasm', 'node-glue.js', 'node-glue.js'],
  ['wasm', 'web-glue.wasm', 'fuselane.wasm'],
  ['wasm-single', 'web-single-glue.js', 'web-single-glue.js'],
  ['wasm-single', 'web-single-glue.wasm', 'fuselane-single.wasm'],
];

/**
 * Configures a preset where that has not been done, and builds it.
 * @param {string} preset
 * @param {Progress} progress
 */
export async function buildPreset(preset, progress) {
  progress.part = preset;
  const log = `${logs}/${preset}.log`;
  rmSync(log, { force: true });
  const options = { log, progress, cwd: root, env: { EMSDK_PYTHON: python() }, append: true };
  if (!existsSync(`${root}/build/${preset}/build.ninja`)) await run('cmake', ['--preset', preset], options);
  await run('cmake', ['--build', '--preset', preset], options);
}

/** The interpreter behind `python3`, which may be a slow wrapper: Emscripten starts it for every file. */
function python() {
  return output('python3', ['-c', 'import sys; print(sys.executable)']);
}

/**
 * Leaves the package in dist/: both cores with their glue, then what web/ and tools/ compile to.
 * @param {Progress} progress
 */
export async function buildPackage(progress) {
  for (const preset of ['wasm', 'wasm-single']) await buildPreset(preset, progress);
  mkdirSync(`${root}/dist`, { recursive: true });
  for (const [preset, from, to] of coreFiles) {
    copyFileSync(`${root}/build/${preset}/${from}`, `${root}/dist/${to}`);
  }
  for (const project of ['web', 'tools']) {
    progress.part = `TypeScript of ${project}/`;
    const options = { log: `${logs}/${project}.log`, progress, cwd: root };
    await run(`${root}/node_modules/.bin/tsc`, ['--project', project], options);
  }
}
