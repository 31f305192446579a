// @ts-check
// The built package in Chromium, from a plain static server: with shared memory and without, in a worker and in the
// page's own thread, under a strict content security policy. It reads the same picture as the Node tests.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictures } from '../pictures/index.mjs';
import { useChromium, withPage } from './pages.mjs';

const [{ file, text }] = pictures.lines;
const path = '/tests/browser/page.html';
useChromium();

/** @param {import('playwright-core').Page} page @param {object} [options] */
const readText = (page, options = {}) =>
  page.evaluate(
    ([url, given]) => /** @type {any} */ (globalThis).readText(url, given),
    [`/tests/pictures/${file}`, options],
  );

for (const isolated of [true, false]) {
  test(`a page ${isolated ? 'with' : 'without'} shared memory reads the picture`, () =>
    withPage({ path, isolated }, async (page, complaints) => {
      assert.equal(await page.evaluate(() => crossOriginIsolated), isolated);
      const cores = await page.evaluate(() => navigator.hardwareConcurrency);
      for (const options of [{}, { worker: false }, { as: 'blob' }, { as: 'response', worker: false }]) {
        const result = await readText(page, options);
        // A page's own thread may not wait for others.
        const inPage = options.worker === false;
        const shares = isolated && !inPage;
        const build = shares ? 'threads' : 'single';
        assert.deepEqual([result.text, result.build], [text, build], JSON.stringify(options));
        assert.equal(result.threads, shares ? Math.min(cores, 8) : 1);
        const why = shares ? /^undefined$/ : inPage ? /own thread/ : /Cross-Origin-Opener-Policy/;
        assert.match(String(result.oneThreadBecause), why);
        assert.equal(result.progress.loaded, result.progress.total);
        assert.ok(result.progress.total > 10e6 && result.steps >= 1, JSON.stringify(result.progress));
      }
      assert.deepEqual(complaints, []);
    }));
}

test('a page has as many threads as it asks for, and they read the picture', () =>
  withPage({ path, isolated: true }, async (page, complaints) => {
    for (const threads of [1, 2, 4]) {
      const result = await readText(page, { threads });
      assert.deepEqual([result.text, result.threads], [text, threads]);
      const started = await page.evaluate((n) => /** @type {any} */ (globalThis).startedThreads(n), threads);
      assert.equal(started, threads);
    }
    assert.deepEqual(complaints, []);
  }));

test('a server that does not know wasm will do', () =>
  withPage(
    { path, isolated: true, types: { '.wasm': 'application/octet-stream' } },
    async (page, complaints) => {
      assert.equal((await readText(page)).text, text);
      assert.deepEqual(complaints, []);
    },
  ));
