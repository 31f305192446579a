// @ts-check
// The engines that can be compared: the module that drives each in a page, and where its files come from. Peers are
// npm packages at exact versions; what node_modules does not hold at that version is installed into .cache/peers.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { npm } from '../setup/npm.mjs';
import { root } from '../setup/machine.mjs';
import { showProgress } from '../setup/terminal.mjs';

/** @typedef {{ module: string, peer?: { package: string, version: string } }} Engine  without a peer: dist/ */

/** @type {Record<string, Engine>} */
const engines = {
  fuselane: { module: 'fuselane.mjs' },
  'onnxruntime-web': {
    module: 'onnxruntime_web.mjs',
    peer: { package: 'onnxruntime-web', version: '1.30.0' },
  },
};

export const engineNames = Object.keys(engines);

/**
 * Where an engine is, as addresses on the bench's server, and its version.
 * @param {string} name one of engineNames
 */
export async function engineFiles(name) {
  const { module, peer } = engines[name];
  const folder = peer ? await peerFolder(peer) : '';
  return {
    module: `/tools/bench/page/${module}`,
    package: peer ? `/${folder}/` : '/dist/',
    version: versionIn(folder) ?? '',
  };
}

/** @param {string} folder a package's, in the repository */
function versionIn(folder) {
  const file = `${root}/${folder}/package.json`;
  return existsSync(file) ? String(JSON.parse(readFileSync(file, 'utf8')).version) : undefined;
}

/** @param {{ package: string, version: string }} peer */
async function peerFolder({ package: name, version }) {
  const shared = `node_modules/${name}`;
  if (versionIn(shared) === version) return shared;
  const place = `.cache/peers/${name}-${version}`;
  const folder = `${place}/node_modules/${name}`;
  if (versionIn(folder) === version) return folder;
  mkdirSync(`${root}/${place}`, { recursive: true });
  await showProgress(`installing ${name} ${version}`, (progress) =>
    npm(['install', '--prefix', '.', '--no-save', '--no-package-lock', `${name}@${version}`], {
      log: `${root}/.cache/peers/${name}.log`,
      progress,
      cwd: `${root}/${place}`,
    }),
  );
  return folder;
}
