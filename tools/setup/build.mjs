// Builds with CMake, which finds out what is up to date, and TypeScript, which is not started where nothing has
// changed: a build with nothing to do takes a second or two. All of it expects that setUp() has been there.

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { output, root } from './machine.mjs';
import { run } from './terminal.mjs';

/** @typedef {import('./terminal.mjs').Progress} Progress */

const logs = `${root}/.cache/build`;

/** Folders with a tsconfig.json, in the order of their dependencies. Of demos/ only the types are checked: Vite builds it. */
const typeScriptProjects = ['web', 'tools', 'demos'];

/**
 * What comes from the wasm builds: preset, file in its folder, where it goes. Both glues of the build with threads
 * belong to the same wasm.
 */
const coreFiles = [
  ['wasm', 'web-glue.js', 'build/web/web-glue.js'],
  ['wasm', 'node-glue.js', 'dist/node-glue.js'],
  ['wasm', 'web-glue.wasm', 'dist/fuselane.wasm'],
  ['wasm-single', 'web-single-glue.js', 'build/web/web-single-glue.js'],
  ['wasm-single', 'web-single-glue.wasm', 'dist/fuselane-single.wasm'],
  ['wasm-single', 'workbench-glue.js', 'dist/cli/workbench-glue.js'],
  ['wasm-single', 'workbench-glue.wasm', 'dist/cli/workbench-glue.wasm'],
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
 * Compiles web/ into build/web/, its declarations and tools/ into a new dist/, unless the sources are those of the
 * last time.
 * @param {Progress} progress
 */
async function compileTypeScript(progress) {
  const stamp = `${logs}/typescript.stamp`;
  const hash = typeScriptHash();
  if (existsSync(`${root}/dist/index.d.ts`) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash)
    return;
  rmSync(stamp, { force: true });
  for (const folder of ['dist', 'build/web']) rmSync(`${root}/${folder}`, { recursive: true, force: true });
  for (const project of typeScriptProjects) {
    progress.part = `TypeScript of ${project}/`;
    const options = { log: `${logs}/${project}.log`, progress, cwd: root };
    await run(`${root}/node_modules/.bin/tsc`, ['--project', project], options);
  }
  writeFileSync(stamp, hash);
}

/** Of all that decides what the compiler makes. */
function typeScriptHash() {
  const hash = createHash('sha256').update(readFileSync(`${root}/package-lock.json`));
  for (const project of typeScriptProjects) {
    const files = readdirSync(`${root}/${project}`, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.(ts|json)$/.test(name)).sort()) {
      hash.update(`${project}/${file}\n`).update(readFileSync(`${root}/${project}/${file}`));
    }
  }
  return hash.digest('hex');
}

/**
 * Leaves the package in dist/: what pages import in one file each, for Node a file for each module, the command line's
 * tools, and both cores.
 * @param {Progress} progress
 */
export async function buildPackage(progress) {
  for (const preset of ['wasm', 'wasm-single']) await buildPreset(preset, progress);
  await compileTypeScript(progress);
  for (const [preset, from, to] of coreFiles)
    copyFileSync(`${root}/build/${preset}/${from}`, `${root}/${to}`);
  const { bundlePages, modulesOfNode } = await import('./bundle.mjs');
  for (const file of modulesOfNode()) copyFileSync(`${root}/build/web/${file}`, `${root}/dist/${file}`);
  await bundlePages();
}
