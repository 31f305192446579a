// @ts-check
// Where an engine can live besides a page: module workers, shared workers and service workers that the page makes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tinyModel } from '../support/onnx_writer.mjs';
import { file, useChromium, withPage } from './pages.mjs';

useChromium();

const answers = { '/tiny.onnx': file(tinyModel()) };

/** The answer of a worker. @param {[kind: string, worker: boolean | undefined, script?: string]} what */
const ask = async ([kind, worker, file = 'host_worker']) => {
  const script = `/tests/browser/${file}.mjs`;
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
  if (kind === 'worker') new Worker(script, { type: 'module' }).postMessage({ worker }, [port2]);
  if (kind === 'shared worker') new SharedWorker(script, { type: 'module' }).port.postMessage({ worker }, [port2]);
  if (kind === 'service worker') {
    const registration = await navigator.serviceWorker.register(script, { type: 'module' });
    const host = registration.installing ?? registration.waiting ?? registration.active;
    while (host?.state !== 'activated') await new Promise((resolve) => setTimeout(resolve, 20));
    host.postMessage({ worker }, [port2]);
  }
  return answer;
}; // prettier-ignore

for (const isolated of [true, false])
  test(`workers of a page hold engines, ${isolated ? 'with' : 'without'} shared memory`, () =>
    withPage({ isolated, answers }, async (page, complaints) => {
      const cores = await page.evaluate(() => navigator.hardwareConcurrency);
      const threads = isolated ? Math.min(cores, 8) : 1;
      const build = isolated ? 'threads' : 'single';
      const notIsolated = isolated ? /^undefined$/ : /Cross-Origin-Opener-Policy/;
      const lone = /kind of worker that cannot start others/;
      for (const [kind, worker, expected, why] of /** @type {const} */ ([
        ['worker', undefined, { build, threads }, notIsolated],
        ['worker', false, { build, threads }, notIsolated],
        ['shared worker', false, { build: 'single', threads: 1 }, lone],
        ['service worker', false, { build: 'single', threads: 1 }, lone],
      ])) {
        const script = kind === 'service worker' ? 'host_service_worker' : 'host_worker';
        const found = /** @type {any} */ (await page.evaluate(ask, /** @type {any} */ ([kind, worker, script])));
        const { oneThreadBecause, ...rest } = found;
        assert.deepEqual(rest, { y: [2, 4], ...expected }, `${kind}, worker: ${worker}`);
        assert.match(String(oneThreadBecause), why, `${kind}, worker: ${worker}`);
      }
      const none = /** @type {any} */ (await page.evaluate(ask, /** @type {any} */ (['service worker', undefined, 'host_service_worker'])));
      assert.equal(none.code, 'engine-unavailable');
      assert.match(none.message, /no Worker here.*worker: false/);
      const late = /** @type {any} */ (await page.evaluate(ask, /** @type {any} */ (['service worker', false])));
      assert.equal(late.code, 'engine-unavailable');
      assert.match(late.message, /fuselane\/service-worker/);
      assert.deepEqual(complaints, []);
    })); // prettier-ignore
