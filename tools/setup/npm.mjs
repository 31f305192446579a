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
    const [command, ...first] = process.env.npm_execpath
      ? [process.execPath, process.env.npm_execpath]
      : ['npm'];
    await run(command, [...first, 'ci', '--ignore-scripts', '--no-fund', '--no-audit'], {
      log,
      progress,
      cwd: root,
    });
    writeFileSync(stamp, lockHash());
  },
};
