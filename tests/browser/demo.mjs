// @ts-check
// Opens the built demo as its tests want it: isolated or not, at a width, light or dark, and waits for what it shows.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { serve } from '../../tools/browser/server.mjs';
import { pictures, readPicture } from '../pictures/index.mjs';
import { within } from '../support/within.mjs';
import { kClosing, kLongest } from './pages.mjs';

/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {import('playwright-core').Page} Page */

export const desktop = { width: 1280, height: 800 };
export const phone = { width: 360, height: 740 };

/** Longer than the first reading takes on a busy machine. */
const kPatience = 60_000;

/**
 * @param {Browser} browser
 * @param {{ isolated?: boolean, viewport?: { width: number, height: number }, colorScheme?: 'light' | 'dark',
 *   permissions?: string[], path?: string }} options
 * @param {(page: Page, complaints: string[]) => Promise<void>} body complaints: what the console shows as errors and
 *   warnings; there must be none at the end
 */
export async function withDemo(browser, options, body) {
  const {
    isolated = true,
    viewport = desktop,
    colorScheme = 'light',
    permissions = [],
    path = '/site/',
  } = options;
  assert.ok(existsSync(new URL('../../site/index.html', import.meta.url)), 'there is no site: npm run site');
  const server = await serve({ folders: ['site/'], isolated });
  const context = await browser.newContext({ viewport, colorScheme, permissions, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(kPatience);
  /** @type {string[]} */
  const complaints = [];
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  try {
    await page.goto(server.url + path);
    assert.equal(await page.evaluate(() => crossOriginIsolated), isolated);
    await within(kLongest, 'the test', body(page, complaints));
    assert.deepEqual(complaints, []);
  } finally {
    server.close();
    await within(kClosing, 'closing the page', context.close());
  }
}

/** @param {Page} page @param {string} name of a sample */
export async function readSample(page, name) {
  await page.getByRole('button', { name, exact: true }).click();
  return outcome(page);
}

/** One line, which is read in less time than a sample. */
export const [line] = pictures.lines;

/** Chooses the picture of one line. @param {Page} page */
export const chooseLine = (page) =>
  page
    .locator('#file')
    .setInputFiles({ name: line.file, mimeType: 'image/png', buffer: readPicture(line.file) });

/** What stands in the list when the reading has ended well. @param {Page} page */
export async function outcome(page) {
  await page.locator('#again:enabled').waitFor();
  assert.ok(await page.locator('#problem').isHidden(), String(await page.locator('#problem').textContent()));
  return page.locator('#lines .text').allTextContents();
}

/** The failure that is shown, in the parts a person reads. @param {Page} page */
export async function problem(page) {
  await page.locator('#problem').waitFor();
  const [title, code, reason, next] = await Promise.all(
    ['title', 'code', 'reason', 'next'].map((part) => page.locator(`#problem-${part}`).textContent()),
  );
  return { title, code, reason: reason ?? '', next, canRetry: await page.locator('#retry').isVisible() };
}

/** How many of 100 characters are right, by Levenshtein's distance. @param {string} read @param {string} wanted */
export function accuracy(read, wanted) {
  let row = Array.from({ length: wanted.length + 1 }, (_, i) => i);
  for (const [i, have] of [...read].entries()) {
    const next = [i + 1];
    for (const [j, want] of [...wanted].entries())
      next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + Number(have !== want)));
    row = next;
  }
  return 100 * (1 - row[wanted.length] / wanted.length);
}
