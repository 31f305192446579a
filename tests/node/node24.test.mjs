// @ts-check
// A newer Node: what the others test of the API, threads and SIMD holds there as well, with relaxed SIMD. It is fetched
// by the long tests (npm test -- --all), and used whenever it is there.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { root } from '../../tools/setup/machine.mjs';
import { foundPeer, node24, peerFolder } from '../../tools/setup/peers.mjs';

const isWanted = process.platform === 'linux' && process.arch === 'x64';
const folder = isWanted && (process.env.FUSELANE_TEST_ALL ? await peerFolder(node24) : foundPeer(node24));
const skip =
  !folder && `${node24.package} ${node24.version} is not in .cache/peers: npm test -- --all fetches it`;

for (const name of ['api', 'simd', 'threads']) {
  test(`${name} on Node 24`, { skip }, () => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const file = `tests/node/${name}.test.mjs`;
    const options = /** @type {const} */ ({ cwd: root, encoding: 'utf8', env });
    const { status, stdout } = spawnSync(
      `${root}/${folder}/bin/node`,
      ['--test-reporter=tap', file],
      options,
    );
    assert.equal(status, 0, stdout.split('\n').filter((line) => !/^\s*(ok|#|---|\.\.\.)/.test(line)).join('\n')); // prettier-ignore
    assert.match(stdout, /^# pass [1-9]/m);
    if (name === 'simd') assert.match(stdout, /^ok \d+ - relaxed SIMD is taken where it is there$/m);
  });
}
