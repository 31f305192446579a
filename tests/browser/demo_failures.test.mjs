// @ts-check
// What does not work is named in the demo, with the reason and what to do next, and it works again afterwards.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchChromium } from '../../tools/browser/chromium.mjs';
import { readPicture } from '../pictures/index.mjs';
import { chooseLine, line, outcome, problem, withDemo } from './demo.mjs';

/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  browser = await launchChromium();
});
after(() => browser.close());

for (const [what, files, code, reason] of /** @type {const} */ ([
  ['the detection network', '**/*_det_infer*', 'read-failed', /_det_infer.*was answered with status 404/],
  ['the recognition network', '**/*_rec_infer*', 'read-failed', /_rec_infer.*was answered with status 404/],
  ['the list of characters', '**/ppocr_keys*', 'read-failed', /ppocr_keys.*status 404/],
  ["the engine's wasm", '**/*.wasm', 'engine-unavailable', /\.wasm was answered with status 404/],
])) {
  test(`${what} is missing: the page says so, and tries again when asked`, () =>
    withDemo(browser, {}, async (demo) => {
      // The route stays: to take it away would ask workers that are just ending, and wait for them for ever.
      let missing = true;
      await demo
        .context()
        .route(files, (route) => (missing ? route.fulfill({ status: 404, body: 'no' }) : route.continue()));
      await chooseLine(demo);
      const shown = await problem(demo);
      assert.equal(shown.code, code);
      assert.match(shown.reason, reason);
      assert.ok(shown.title && shown.next && shown.canRetry, JSON.stringify(shown));
      missing = false;
      await demo.getByRole('button', { name: 'Try again' }).click();
      assert.deepEqual(await outcome(demo), [line.text]);
    }));
}

test("the page's own worker is missing", () =>
  withDemo(browser, {}, async (demo, complaints) => {
    await demo.context().route('**/worker-*.js', (route) => route.fulfill({ status: 404, body: 'no' }));
    await chooseLine(demo);
    const { code, canRetry } = await problem(demo);
    assert.deepEqual([code, canRetry], ['engine-unavailable', true]);
    complaints.splice(0);
  }));

test('a server that answers everything with a page', () =>
  withDemo(browser, {}, async (demo) => {
    const html = { contentType: 'text/html', body: '<!doctype html><title>Home</title>' };
    await demo.context().route('**/*_det_infer*', (route) => route.fulfill(html));
    await chooseLine(demo);
    const { code, reason } = await problem(demo);
    assert.equal(code, 'invalid-model');
    assert.match(reason, /was answered with an HTML page/);
  }));

test('what is no picture is named, and the page goes on', () =>
  withDemo(browser, {}, async (demo) => {
    const cases = /** @type {const} */ ([
      ['paper.pdf', Buffer.from('%PDF-1.7 and more'), /^paper\.pdf is a PDF document; a picture was expected$/],
      ['empty.png', Buffer.alloc(0), /^empty\.png is empty; a picture was expected$/],
      ['half.png', readPicture('page-sign.png').subarray(0, 200), /^half\.png is a PNG picture that this browser cannot decode/],
    ]); // prettier-ignore
    for (const [name, buffer, reason] of cases) {
      await demo.locator('#file').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
      await demo.locator('#problem-reason', { hasText: name }).waitFor();
      const shown = await problem(demo);
      assert.equal(shown.code, 'unreadable-picture');
      assert.match(shown.reason, reason);
      assert.ok(!shown.canRetry);
    }
    await chooseLine(demo);
    assert.deepEqual(await outcome(demo), [line.text]);
  }));

test('a sample is missing: what was read can be read again', () =>
  withDemo(browser, {}, async (demo, complaints) => {
    await chooseLine(demo);
    await outcome(demo);
    await demo.context().route('**/book-*.jpg', (route) => route.fulfill({ status: 404, body: 'no' }));
    await demo.getByRole('button', { name: 'Book page' }).click();
    const { code, reason, canRetry } = await problem(demo);
    assert.deepEqual([code, canRetry], ['sample-missing', false]);
    assert.match(reason, /book-.*\.jpg was answered with status 404/);
    for (const complaint of complaints.splice(0)) assert.match(complaint, /Failed to load resource/);
    await demo.getByRole('button', { name: 'Read again' }).click();
    assert.deepEqual(await outcome(demo), [line.text]);
  }));

test('a picture without text', () =>
  withDemo(browser, {}, async (demo) => {
    await demo.getByRole('button', { name: 'Draw', exact: true }).click();
    const box = await demo.locator('#canvas').boundingBox();
    assert.ok(box);
    await demo.mouse.click(box.x + 40, box.y + 40);
    await demo.getByRole('button', { name: 'Read the drawing' }).click();
    assert.deepEqual(await outcome(demo), []);
    assert.match(String(await demo.locator('#status').textContent()), /^No text was found in \d+ ms$/);
    assert.ok(await demo.getByRole('button', { name: 'Copy' }).isDisabled());
  }));

test('the clipboard takes nothing: the text is selected instead', () =>
  withDemo(browser, {}, async (demo) => {
    await demo.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('not today'));
    });
    await chooseLine(demo);
    await outcome(demo);
    await demo.getByRole('button', { name: 'Copy' }).click();
    const { code, reason } = await problem(demo);
    assert.equal(code, 'copy-failed');
    assert.match(reason, /not today/);
    assert.match(await demo.evaluate(() => String(getSelection())), /The quick brown fox/);
  }));
