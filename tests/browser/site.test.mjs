// @ts-check
// The site's weight, and the server of `npm start`.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { launchChromium } from '../../tools/browser/chromium.mjs';
import { serveSite } from '../../tools/site/serve.mjs';
import { readSample, withDemo } from './demo.mjs';
import { kLongest } from './pages.mjs';

const site = new URL('../../site/', import.meta.url);
/** @param {string} file */
const fileOf = (file) => readFileSync(new URL(file, site));
/** @param {Buffer} bytes */
const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  }).length;

/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  browser = await launchChromium();
});
after(() => browser.close());

test('the entry is under 25 kB with gzip', () => {
  const html = fileOf('index.html').toString();
  const scripts = [...html.matchAll(/<(?:script|link)[^>]+(?:src|href)="\.\/([^"]+\.js)"/g)].map(
    ([, file]) => file,
  );
  assert.ok(scripts.length > 0);
  // What the entry imports before it runs belongs to it.
  for (const file of scripts) assert.doesNotMatch(fileOf(file).toString(), /\bfrom ?"|^import ?"/, file);
  const size = scripts.reduce((sum, file) => sum + gzipSync(fileOf(file), { level: 9 }).length, 0);
  assert.ok(size < 25_000, `${size} bytes`);
});

for (const isolated of [true, false]) {
  test(`until the first text is there, scripts and wasm are under 300 kB with brotli, ${isolated ? '' : 'not '}isolated`, () =>
    withDemo(browser, { isolated }, async (demo) => {
      /** @type {Set<string>} */
      const files = new Set([
        ...(await demo.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))),
      ]);
      demo.context().on('request', (request) => files.add(request.url()));
      await readSample(demo, 'Street sign');
      const loaded = [...files]
        .map((url) => new URL(url).pathname.replace('/site/', ''))
        .filter((file) => /\.(js|wasm)$/.test(file));
      assert.equal(loaded.filter((file) => file.endsWith('.wasm')).length, 1, loaded.join(' '));
      const sizes = loaded.map((file) => [file, brotli(fileOf(file))]);
      const total = sizes.reduce((sum, [, size]) => sum + Number(size), 0);
      assert.ok(total < 300_000, `${total} bytes: ${sizes.join(' ')}`);
      assert.ok(loaded.length >= 4, loaded.join(' '));
    }));
}

test(
  'npm start serves the site isolated, on the next port where one is taken',
  { timeout: kLongest },
  async () => {
    const first = await serveSite({ port: 4391 });
    const second = await serveSite({ port: 4391 });
    try {
      assert.notEqual(first.url, second.url);
      for (const { url } of [first, second]) {
        const page = await browser.newPage();
        await page.goto(url);
        assert.ok(await page.evaluate(() => crossOriginIsolated));
        await page.close();
      }
      const page = await browser.newPage();
      await page.goto(second.url);
      assert.deepEqual((await readSample(page, 'Book page')).length, 7);
      await page.close();
    } finally {
      await first.close();
      await second.close();
    }
  },
);
