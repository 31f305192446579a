// Step: node_modules is what package-lock.json says. The stamp in it holds the lock's hash. Install scripts
// are not run: none of these packages needs one, and onnxruntime's would download a binary.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { refuseLink, root } from './machine.mjs';
import { run } from './terminal.mjs';

const folder = `${root}/node_modules`;
const stamp = `${folder}/.fuselane-stamp`;

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(`${root}/package-lock.json`))
    .digest('hex');
}

/** @type {import('./setup.mjs').Step} */
export const npmStep = {
  name: 'npm packages',
  satisfied: () => existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash(),
  action: async ({ log, progress }) => {
    refuseLink(folder);
    await npm(['ci'], { log, progress, cwd: root });
    writeFileSync(stamp, lockHash());
  },
};

/**
 * Runs the npm that started this program, or the one on PATH, without install scripts.
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} options
 */
export function npm(args, options) {
  const [command, ...first] = process.env.npm_execpath
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  return run(command, [...first, ...args, '--ignore-scripts', '--no-fund', '--no-audit'], options);
}
