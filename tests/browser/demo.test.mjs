// @ts-check
// Every control of the demo, in the built site under /site/, a folder of a static server with a strict policy.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launchChromium } from '../../tools/browser/chromium.mjs';
import { pictures, readPicture } from '../pictures/index.mjs';
import { accuracy, line, outcome, phone, problem, readSample, withDemo } from './demo.mjs';

/** @type {import('playwright-core').Browser} */
let browser;
before(async () => {
  browser = await launchChromium();
});
after(() => browser.close());

const page = pictures.pages[2];
/** @param {string} file @param {string} [mimeType] */
const upload = (file, mimeType = 'image/png') => ({ name: file, mimeType, buffer: readPicture(file) });

/** @param {import('playwright-core').Page} on @param {string} selector */
const numbers = async (on, selector) => (await on.locator(selector).allTextContents()).map(Number);

test('it reads every sample: boxes, lines, times, threads, memory, and the text to copy', () =>
  withDemo(browser, { permissions: ['clipboard-read', 'clipboard-write'] }, async (demo) => {
    for (const { name, text, exact } of pictures.samples) {
      const read = await readSample(demo, name);
      if (exact) assert.deepEqual(read, text, name);
      const right = accuracy(read.join(' '), text.join(' '));
      assert.ok(right >= 95, `${name}: ${right.toFixed(1)} of 100 characters in ${JSON.stringify(read)}`);
      assert.equal(await demo.locator('#boxes polygon').count(), read.length, name);
      assert.match(
        String(await demo.locator('#status').textContent()),
        new RegExp(`^${read.length} lines in \\d+ ms$`),
      );
      const [all, ...stages] = [
        await numbers(demo, '#times-foot td'),
        await numbers(demo, '#times-body td'),
      ].flat();
      assert.equal(stages.length, 7);
      const sum = stages.reduce((a, b) => a + b);
      assert.ok(stages.every((ms) => ms > 0) && Math.abs(sum - all) < 5, `${name}: ${stages} is not ${all}`);
      await demo.getByRole('button', { name: 'Copy' }).click();
      await demo.getByRole('button', { name: 'Copied' }).waitFor();
      const copied = await demo.evaluate(() => navigator.clipboard.readText());
      assert.deepEqual(copied.split(/[\n\t]/), read, name);
      // A row a line, with tabs between what stands side by side in it.
      if (name === 'Chalk menu') assert.equal(copied.split('\n')[1], 'Tomato soup\t6.50');
    }
    const cores = await demo.evaluate(() => navigator.hardwareConcurrency);
    const [threads, simd, memory] = await demo.locator('#facts dd').allTextContents();
    assert.deepEqual([threads, simd], [String(Math.min(cores, 8)), 'relaxed']);
    assert.ok(Number.parseInt(memory) > 20 && Number.parseInt(memory) < 400, memory);
    assert.ok(await demo.locator('#isolation').isHidden());
  }));

test('one thread and all read the same, side by side', () =>
  withDemo(browser, {}, async (demo) => {
    assert.ok(await demo.getByLabel('All').isChecked());
    const all = await readSample(demo, 'Street sign');
    await demo.getByLabel('1 thread').check({ force: true });
    await demo.locator('#times-head th').nth(2).waitFor();
    assert.deepEqual(await outcome(demo), all);
    assert.equal(await demo.locator('#facts dd').first().textContent(), '1');
    const heads = await demo.locator('#times-head th').allTextContents();
    assert.equal(heads[1], '1 thread, ms');
    assert.match(heads[2], /^\d threads, ms$/);
    assert.ok((await numbers(demo, '#times-foot td')).every((ms) => ms > 0));
    await demo.getByRole('button', { name: 'Read again' }).click();
    assert.deepEqual(await outcome(demo), all);
    assert.equal(await demo.locator('#times-head th').count(), 3);
    // Another picture's times are not set beside it.
    await readSample(demo, 'Book page');
    assert.equal(await demo.locator('#times-head th').count(), 2);
  }));

test('without isolation one thread reads, and the page says why and what to do', () =>
  withDemo(browser, { isolated: false, viewport: phone }, async (demo) => {
    const words = String(await demo.locator('#isolation').textContent());
    assert.match(words, /not isolated/);
    assert.match(
      words,
      /Cross-Origin-Opener-Policy: same-origin.*Cross-Origin-Embedder-Policy: require-corp/,
    );
    assert.ok(await demo.getByLabel('All').isDisabled());
    assert.ok(await demo.getByLabel('1 thread').isChecked());
    assert.deepEqual(
      await readSample(demo, 'Book page'),
      pictures.samples.find(({ file }) => file === 'book.jpg')?.text,
    );
    assert.equal(await demo.locator('#facts dd').first().textContent(), '1');
  }));

test('a file is chosen, also twice', () =>
  withDemo(browser, {}, async (demo) => {
    for (let i = 0; i < 2; i++) {
      const chooser = demo.waitForEvent('filechooser');
      await demo.getByRole('button', { name: 'Choose a picture' }).click();
      await (await chooser).setFiles(upload(page.file));
      assert.deepEqual(await outcome(demo), page.text);
      assert.match(String(await demo.locator('#picture').getAttribute('alt')), /page-dialog\.png/);
    }
  }));

/**
 * Drops or pastes a file, or text where there is none.
 * @param {import('playwright-core').Page} demo @param {'drop' | 'paste'} how @param {string} [file]
 */
const hand = (demo, how, file) =>
  demo.evaluate(
    ([kind, name, base64]) => {
      const data = new DataTransfer();
      if (name)
        data.items.add(
          new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type: 'image/png' }),
        );
      else data.setData('text/plain', 'words');
      const options = { bubbles: true, cancelable: true };
      document.body.dispatchEvent(
        kind === 'drop'
          ? new DragEvent('drop', { ...options, dataTransfer: data })
          : new ClipboardEvent('paste', { ...options, clipboardData: data }),
      );
    },
    [how, file ?? '', file ? readPicture(file).toString('base64') : ''],
  );

for (const how of /** @type {const} */ (['drop', 'paste'])) {
  test(`${how} takes a picture, and names what is none`, () =>
    withDemo(browser, {}, async (demo) => {
      await hand(demo, how);
      const { code, reason, canRetry } = await problem(demo);
      assert.deepEqual([code, canRetry], ['no-picture', false]);
      assert.match(
        reason,
        how === 'drop' ? /^What was dropped holds no picture/ : /^The clipboard holds no picture/,
      );
      await hand(demo, how, line.file);
      assert.deepEqual(await outcome(demo), [line.text]);
    }));
}

test('the paste button reads the clipboard where that is allowed', async () => {
  await withDemo(browser, { permissions: ['clipboard-read', 'clipboard-write'] }, async (demo) => {
    const paste = demo.getByRole('button', { name: 'Paste' });
    await demo.evaluate(() => navigator.clipboard.writeText('words'));
    await paste.click();
    assert.equal((await problem(demo)).code, 'no-picture');
    await demo.evaluate(async (base64) => {
      const blob = new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: 'image/png' });
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
    }, readPicture(line.file).toString('base64'));
    await paste.click();
    assert.deepEqual(await outcome(demo), [line.text]);
  });
  await withDemo(browser, {}, async (demo) => {
    await demo.getByRole('button', { name: 'Paste' }).click();
    const { code, next } = await problem(demo);
    assert.equal(code, 'no-clipboard');
    assert.match(String(next), /Ctrl\+V/);
  });
});

test('typed text is drawn and read; undo and clear do what they say', () =>
  withDemo(browser, {}, async (demo) => {
    const draw = demo.getByRole('button', { name: 'Draw', exact: true });
    await draw.click();
    assert.equal(await draw.getAttribute('aria-expanded'), 'true');
    const read = demo.getByRole('button', { name: 'Read the drawing' });
    const [undo, clear] = ['Undo', 'Clear'].map((name) => demo.getByRole('button', { name }));
    assert.ok((await read.isDisabled()) && (await undo.isDisabled()) && (await clear.isDisabled()));
    await demo.getByLabel('Or type what is drawn').fill('gone');
    await clear.click();
    assert.ok(await read.isDisabled());
    assert.equal(await demo.getByLabel('Or type what is drawn').inputValue(), '');
    await demo.getByLabel('Or type what is drawn').fill('Good morning');
    await demo.keyboard.press('Enter');
    assert.deepEqual(await outcome(demo), ['Good morning']);
    assert.ok(await demo.locator('#drawing').isHidden());
  }));

/** Capital letters as strokes in a square of 1 x 1. @type {Record<string, [number, number][][]>} */
const letters = {
  H: [[[0, 0], [0, 1]], [[0, 0.5], [0.8, 0.5]], [[0.8, 0], [0.8, 1]]],
  E: [[[0.7, 0], [0, 0], [0, 1], [0.7, 1]], [[0, 0.5], [0.6, 0.5]]],
  L: [[[0, 0], [0, 1], [0.7, 1]]],
  P: [[[0, 1], [0, 0], [0.6, 0.05], [0.75, 0.25], [0.6, 0.5], [0, 0.52]]],
}; // prettier-ignore

test('what is drawn with the pointer is read', () =>
  withDemo(browser, {}, async (demo) => {
    await demo.getByRole('button', { name: 'Draw', exact: true }).click();
    const box = await demo.locator('#canvas').boundingBox();
    assert.ok(box);
    /** @param {[number, number][]} stroke @param {number} left */
    const pull = async (stroke, left) => {
      for (const [i, [x, y]] of stroke.entries()) {
        await demo.mouse.move(box.x + left + 100 * x, box.y + 80 + 110 * y, { steps: 6 });
        if (i === 0) await demo.mouse.down();
      }
      await demo.mouse.up();
    };
    for (const [i, letter] of [...'HELP'].entries())
      for (const stroke of letters[letter]) await pull(stroke, 100 + 130 * i);
    await pull([[0, 1.4], [4, 1.4]], 100); // prettier-ignore
    await demo.getByRole('button', { name: 'Undo' }).click(); // the line below it
    await demo.getByRole('button', { name: 'Read the drawing' }).click();
    assert.deepEqual(await outcome(demo), ['HELP']);
  }));

test('a newer picture ends the reading of the one before; a line and its box are marked together', () =>
  withDemo(browser, {}, async (demo) => {
    await demo.getByRole('button', { name: 'Receipt' }).click();
    await demo.locator('#boxes polygon').first().waitFor();
    await demo.getByRole('button', { name: 'Book page' }).click();
    assert.deepEqual(await outcome(demo), pictures.samples.find(({ file }) => file === 'book.jpg')?.text);
    const [boxes, items] = [demo.locator('#boxes polygon'), demo.locator('#lines li')];
    await items.nth(2).hover();
    assert.match(String(await boxes.nth(2).getAttribute('class')), /hovered/);
    await boxes.nth(4).hover();
    assert.match(String(await items.nth(4).getAttribute('class')), /hovered/);
    assert.doesNotMatch(String(await items.nth(2).getAttribute('class')), /hovered/);
    await boxes.nth(4).click();
    assert.equal(await items.nth(4).getAttribute('aria-selected'), 'true');
    assert.match(String(await boxes.nth(4).getAttribute('class')), /selected/);
  }));

test('the download is shown as it goes on, and the page stays fluid', () =>
  withDemo(browser, {}, async (demo) => {
    await demo.evaluate(() => {
      const seen = /** @type {any} */ (globalThis);
      [seen.texts, seen.longest] = [[], 0];
      const status = document.getElementById('status');
      if (!status) return;
      const note = () => seen.texts.push(status.textContent);
      new MutationObserver(note).observe(status, { childList: true, characterData: true, subtree: true });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
      }).observe({ type: 'longtask' });
    });
    await readSample(demo, 'Receipt');
    const { texts, longest } = await demo.evaluate(() => {
      const seen = /** @type {any} */ (globalThis);
      return { texts: /** @type {string[]} */ (seen.texts), longest: Number(seen.longest) };
    });
    assert.ok(
      texts.some((text) => /^Loading the networks: [1-9]\d*\.\d of 15\.6 MB$/.test(text)),
      texts.join('\n'),
    );
    assert.ok(
      texts.some((text) => /^Reading: \d+ of 16$/.test(text)),
      texts.join('\n'),
    );
    // The page's own tasks take a few milliseconds; the processors are all busy with the networks.
    assert.ok(longest < 150, `a task of ${longest} ms`);
  }));
