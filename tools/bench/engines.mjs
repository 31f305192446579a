// @ts-check
// The engines that can be compared: the module that drives each in a page, and where its files come from. Peers are
// npm packages at exact versions; what node_modules does not hold at that version is installed into .cache/peers.

import { peerFolder, versionIn } from '../setup/peers.mjs';

/** @typedef {{ module: string, peer?: import('../setup/peers.mjs').Peer }} Engine  without a peer: dist/ */

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
