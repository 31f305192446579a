// @ts-check
// The demo without a mouse, on a phone, in the dark, and by the rules that axe-core checks.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { launchChromium } from '../../tools/browser/chromium.mjs';
import { pictures } from '../pictures/index.mjs';
import { chooseLine, desktop, line, outcome, phone, problem, readSample, withDemo } from './demo.mjs';

/** @typedef {import('playwright-core').Page} Page */

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const book = pictures.samples.find(({ file }) => file === 'book.jpg');

/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  browser = await launchChromium();
});
after(() => browser.close());

/** Nothing that axe-core finds, and nothing wider than the window. @param {Page} demo @param {string} state */
async function check(demo, state) {
  const found = await demo.evaluate(async () => {
    const { violations } = await /** @type {any} */ (globalThis).axe.run();
    return violations.map(
      (/** @type {any} */ { id, nodes }) =>
        `${id}: ${nodes.map((/** @type {any} */ node) => node.html).join(' ')}`,
    );
  });
  assert.deepEqual(found, [], state);
  const [content, window] = await demo.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= window, `${state}: ${content} pixels in ${window}`);
}

for (const isolated of [true, false]) {
  for (const [name, viewport] of Object.entries({ desktop, phone })) {
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      test(`axe-core finds nothing: ${name}, ${colorScheme}, ${isolated ? '' : 'not '}isolated`, () =>
        withDemo(browser, { isolated, viewport, colorScheme }, async (demo) => {
          await demo.evaluate(axe);
          await check(demo, 'at first');
          await demo.getByRole('button', { name: 'Draw', exact: true }).click();
          await demo.getByLabel('Or type what is drawn').fill('Word');
          await check(demo, 'drawing');
          await chooseLine(demo);
          assert.deepEqual(await outcome(demo), [line.text]);
          await demo.locator('#lines li').click();
          await check(demo, 'read');
          await demo
            .locator('#file')
            .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF') });
          await problem(demo);
          await check(demo, 'failed');
        }));
    }
  }
}

test('everything is reached and done with the keyboard, and the focus is seen', () =>
  withDemo(browser, {}, async (demo) => {
    /** @type {string[]} */
    const visited = [];
    for (let i = 0; i < 12; i++) {
      await demo.keyboard.press('Tab');
      const { name, outline } = await demo.evaluate(() => {
        const element = /** @type {HTMLElement} */ (document.activeElement);
        const shown = element.matches('input[type=radio]') ? element.nextElementSibling : element;
        return {
          name: element.textContent?.trim() || element.getAttribute('value') || element.id,
          outline: shown ? getComputedStyle(shown).outlineStyle : 'none',
        };
      });
      if (name && !name.startsWith('Read text')) assert.equal(outline, 'solid', name);
      visited.push(name);
      if (name === 'Book page') break;
    }
    assert.deepEqual(visited.slice(0, 4), ['Choose a picture', 'Paste', 'Draw', 'Street sign']);
    await demo.keyboard.press('Enter');
    assert.deepEqual(await outcome(demo), book?.text);
    const selected = () => demo.locator('#lines li[aria-selected=true] .text').allTextContents();
    for (let i = 0; i < 4; i++) {
      await demo.keyboard.press('Tab'); // two more samples, Copy, the list
    }
    assert.equal(await demo.evaluate(() => document.activeElement?.id), 'lines');
    assert.deepEqual(await selected(), [book?.text[0]]);
    await demo.keyboard.press('ArrowDown');
    assert.deepEqual(await selected(), [book?.text[1]]);
    assert.equal(await demo.locator('#lines').getAttribute('aria-activedescendant'), 'line-1');
    assert.match(String(await demo.locator('#boxes polygon').nth(1).getAttribute('class')), /selected/);
    await demo.keyboard.press('End');
    assert.deepEqual(await selected(), [book?.text.at(-1)]);
    await demo.keyboard.press('ArrowUp');
    assert.deepEqual(await selected(), [book?.text.at(-2)]);
    await demo.keyboard.press('Home');
    assert.deepEqual(await selected(), [book?.text[0]]);
    await demo.keyboard.press('Tab');
    await demo.keyboard.press('ArrowLeft'); // from all threads to one
    await demo.locator('#times-head th').nth(2).waitFor();
    assert.deepEqual(await outcome(demo), book?.text);
  }));

test('screen readers hear what begins and what came of it, once each', () =>
  withDemo(browser, {}, async (demo) => {
    await demo.evaluate(() => {
      const seen = /** @type {any} */ (globalThis);
      seen.heard = [];
      const live = document.getElementById('live');
      if (live)
        new MutationObserver(() => seen.heard.push(live.textContent)).observe(live, { childList: true });
    });
    await readSample(demo, 'Book page');
    const heard = await demo.evaluate(() => /** @type {string[]} */ (/** @type {any} */ (globalThis).heard));
    assert.deepEqual(heard.slice(0, 2), ['Loading the networks', 'Reading the picture']);
    assert.equal(heard.length, 3);
    assert.match(heard[2], /^7 lines in \d+ ms$/);
  }));
