// @ts-check
// The benchmark on one small model: pages, rounds, comparison of outputs, and the roofline.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchChromium } from '../../tools/browser/chromium.mjs';
import { serve } from '../../tools/browser/server.mjs';
import { arithmeticOf } from '../../tools/bench/arithmetic.mjs';
import { request } from '../../tools/bench/arguments.mjs';
import { engineFiles } from '../../tools/bench/engines.mjs';
import { compiling, measureLoads } from '../../tools/bench/loading.mjs';
import { measure } from '../../tools/bench/measure.mjs';
import { folders, rooflineOf } from '../../tools/bench/run.mjs';

/** @type {{ browser: import('playwright-core').Browser, url: string }} */
let host;
/** @type {() => void} */
let close;
before(async () => {
  const server = await serve({ folders, isolated: true });
  host = { browser: await launchChromium(), url: server.url };
  close = server.close;
});
after(async () => {
  await host.browser.close();
  close();
});

test('one model on two engines: times, a ratio, outputs that agree; what fails is named', async () => {
  const asked = request(['--models', 'convnet_13', '--engines', 'fuselane,onnxruntime-web,fuselane:none=1']);
  const [{ name, feeds }] = asked.models;
  const engines = [];
  for (const choice of asked.engines) engines.push({ ...choice, ...(await engineFiles(choice.name)) });
  const what = { model: `/tests/models/${name}.onnx`, feeds: feeds() };
  const how = { threads: 1, rounds: 1, milliseconds: 50 };
  const [ours, peer, failing] = await measure(host, engines, what, how);
  assert.ok(!('error' in ours) && !('error' in peer), JSON.stringify([ours, peer]));
  for (const { milliseconds, rounds, runs } of [ours, peer]) {
    assert.ok(milliseconds > 0.01 && milliseconds < 1000, `${milliseconds} ms`);
    assert.ok(rounds.length === 1 && runs > 1 && runs * milliseconds >= 49, `${runs} runs`);
  }
  assert.equal(peer.ratio.median, peer.milliseconds / ours.milliseconds);
  assert.deepEqual([ours.difference, ours.ratio.median], [0, 1]);
  // Zero would be one engine's outputs compared with themselves: these two do not round alike.
  assert.ok(peer.difference > 0 && peer.difference < 1e-4, `${peer.difference}`);
  assert.match('error' in failing ? failing.error : 'measured', /has no option "none"/);
});

test('the first output of new pages on two engines: times, parts, outputs that agree; what fails is named', async () => {
  const asked = request(['--models', 'convnet_13', '--engines', 'fuselane:none=1,fuselane,onnxruntime-web']);
  const [{ name, feeds }] = asked.models;
  const engines = [];
  for (const choice of asked.engines) engines.push({ ...choice, ...(await engineFiles(choice.name)) });
  const what = { model: `/tests/models/${name}.onnx`, feeds: feeds() };
  const [failing, ours, peer] = await measureLoads(host, engines, what, { threads: 1, rounds: 2 });
  assert.match('error' in failing ? failing.error : 'measured', /has no option "none"/);
  assert.ok(!('error' in ours) && !('error' in peer), JSON.stringify([ours, peer]));
  assert.deepEqual(
    [ours.rounds.length, ours.reports.length, peer.rounds.length, peer.reports.length],
    [2, 2, 2, 0],
  );
  for (const [round, report] of ours.reports.entries()) {
    const { weights, install } = report.preparation;
    // What the engine tells lies within what the page waited for, and is not nothing.
    const told = compiling(report) + weights + install;
    assert.ok(told > 0.5 && told < ours.rounds[round], `${told} of ${ours.rounds[round]} ms`);
    assert.ok(report.kernels > 0 && report.kernelBytes > 1000, JSON.stringify(report));
  }
  assert.deepEqual([ours.difference, ours.ratio.median], [0, 1]);
  assert.ok(peer.difference > 0 && peer.difference < 1e-4, `${peer.difference}`);
});

test('the arithmetic of a model is counted', async () => {
  const [model] = request(['--models', 'encoder_9']).models;
  const { multiplyAdds, weightBytes } = await arithmeticOf(model, model.feeds());
  // More than each weight once, fewer than each weight for each of the 7 tokens twice.
  const weights = weightBytes / 4;
  assert.ok(multiplyAdds > weights && multiplyAdds < 14 * weights, `${multiplyAdds} with ${weights} weights`);
});

test('the roofline is that of a processor', async () => {
  const { fma, mulAdd, read } = await rooflineOf(host, 1);
  // A tenth of a slow phone's, since tests run on busy machines.
  for (const rate of [fma, mulAdd, read]) assert.ok(rate > 1e8 && rate < 1e13, `${rate}`);
});
