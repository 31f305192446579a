// @ts-check
// Draws the test pictures of text into tests/pictures/ and the demo's into demos/samples/, and writes what stands in
// them to tests/pictures/pictures.json. The pictures are in git: this is run when one is added, with its name, or
// without for all. Needs Chromium and the fonts DejaVu and Liberation.
//
//   node tools/pictures/make.mjs [FILE ...]

import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { format } from 'prettier';
import { launchChromium } from '../browser/chromium.mjs';
import { lines, pages } from './list.mjs';
import { encodePng } from './png.mjs';
import { samples } from './samples.mjs';

/** @typedef {import('./list.mjs').Line} Line */
/** @typedef {import('./list.mjs').PngFormat} PngFormat */
/** @typedef {import('playwright-core').Page} Page */

const folder = fileURLToPath(new URL('../../tests/pictures', import.meta.url));
const sampleFolder = fileURLToPath(new URL('../../demos/samples', import.meta.url));
const wanted = process.argv.slice(2);
/** @param {{ file: string }} picture */
const isWanted = ({ file }) => wanted.length === 0 || wanted.includes(file);

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** @param {Line} line */
function lineHtml({ text, font, size, style = '', ink = '#000', paper = '#fff' }) {
  const padding = Math.round(size / 3);
  return `<body style="margin:0"><div id="picture" style="display:inline-block;white-space:pre;padding:${padding}px;
    line-height:1.2;font:${style} ${size}px '${font}';color:${ink};background:${paper}">${escaped(text)}</div>`;
}

/**
 * How the pixels of a screenshot become another kind of PNG, from their red, green, blue and from their gray.
 * @type {Record<PngFormat, (pixels: number[][], grays: number[]) => Omit<import('./png.mjs').Png, 'width' | 'height'>>}
 */
const conversions = {
  gray: (_, grays) => ({ colorType: 0, depth: 8, samples: grays }),
  'gray 1 bit': (_, grays) => ({ colorType: 0, depth: 1, samples: grays.map((g) => (g < 128 ? 0 : 1)) }),
  'gray 16 bit': (_, grays) => ({ colorType: 0, depth: 16, samples: grays.map((g) => g * 257) }),
  'gray alpha': (_, grays) => ({ colorType: 4, depth: 8, samples: grays.flatMap((g) => [0, 255 - g]) }),
  // The paper is the one transparent gray, black: it has to be composited to be white.
  'gray transparent': (_, grays) => ({
    colorType: 0,
    depth: 8,
    samples: grays.map((g) => (g > 250 ? 0 : Math.max(1, g))),
    transparency: [0],
  }),
  alpha: (pixels, grays) => ({
    colorType: 6,
    depth: 8,
    samples: pixels.flatMap((p, i) => [p[0] >> 2, 0, 90, 255 - grays[i]]),
  }),
  'palette 2 bit': (_, grays) => ({
    colorType: 3,
    depth: 2,
    samples: grays.map((g) => g >> 6),
    palette: [[0, 0, 60], [90, 90, 130], [170, 170, 190], [255, 255, 255]], // prettier-ignore
  }),
  'palette transparent': (_, grays) => ({
    colorType: 3,
    depth: 4,
    samples: grays.map((g) => g >> 4),
    palette: Array.from({ length: 16 }, () => [20, 60, 20]),
    transparency: Array.from({ length: 16 }, (_, i) => 255 - 17 * i),
  }),
};

/**
 * @param {Uint8Array} screenshot a PNG
 * @param {PngFormat} format
 */
function converted(screenshot, format) {
  const { width, height, data, channels } = decode(screenshot);
  const pixels = Array.from({ length: width * height }, (_, i) => [
    ...data.subarray(i * channels, i * channels + 3),
  ]);
  const grays = pixels.map(([r, g, b]) => Math.round(0.299 * r + 0.587 * g + 0.114 * b));
  return encodePng({ width, height, ...conversions[format](pixels, grays) });
}

/**
 * A JPEG with an Exif segment that says how the camera was held.
 * @param {Uint8Array} jpeg
 * @param {number} orientation
 */
function withOrientation(jpeg, orientation) {
  const tiff = [
    0x49,
    0x49,
    42,
    0,
    8,
    0,
    0,
    0,
    1,
    0,
    0x12,
    1,
    3,
    0,
    1,
    0,
    0,
    0,
    orientation,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
  ];
  const body = [...Buffer.from('Exif\0\0'), ...tiff];
  return Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0, body.length + 2, ...body, ...jpeg.subarray(2)]);
}

/** @param {Page} page @param {Line} line @returns {Promise<Uint8Array>} */
async function drawLine(page, line) {
  await page.setContent(lineHtml(line));
  const box = page.locator('#picture');
  if (line.format === 'jpeg') return box.screenshot({ type: 'jpeg', quality: 85 });
  if (line.format === 'jpeg turned') {
    // Stored lying on its side: a quarter turn to the left, which orientation 6 takes back.
    const { width, height } = /** @type {{ width: number, height: number }} */ (await box.boundingBox());
    await box.evaluate(
      (div, w) => (div.style.cssText += `;transform-origin:0 0;transform:translateY(${w}px) rotate(-90deg)`),
      width,
    );
    const clip = { x: 0, y: 0, width: Math.ceil(height), height: Math.ceil(width) };
    return withOrientation(await page.screenshot({ type: 'jpeg', quality: 85, clip }), 6);
  }
  const screenshot = await box.screenshot({ type: 'png' });
  return line.format ? converted(screenshot, line.format) : screenshot;
}

/** @param {Page} page @param {{ file: string, width: number, height: number, html: string }} picture */
async function drawPage(page, { file, width, height, html }) {
  await page.setContent(`<body style="margin:0">${html}`);
  const clip = { x: 0, y: 0, width, height };
  return file.endsWith('.jpg')
    ? page.screenshot({ type: 'jpeg', quality: 80, clip })
    : page.screenshot({ type: 'png', clip });
}

/** What the demo shows on a button: cut to 4 x 3 from the middle. @param {Page} page @param {Buffer} picture */
async function drawThumbnail(page, picture) {
  const [width, height] = [216, 162];
  const source = `data:image/png;base64,${picture.toString('base64')}`;
  await page.setContent(
    `<body style="margin:0"><img src="${source}" style="width:${width}px;height:${height}px;object-fit:cover">`,
  );
  await page.waitForFunction(() => document.images[0]?.complete);
  return page.screenshot({ type: 'jpeg', quality: 72, clip: { x: 0, y: 0, width, height } });
}

/** @param {Page} page */
async function drawAll(page) {
  for (const line of lines.filter(isWanted))
    writeFileSync(join(folder, line.file), await drawLine(page, line));
  for (const each of pages.filter(isWanted))
    writeFileSync(join(folder, each.file), await drawPage(page, each));
  for (const sample of samples.filter(isWanted)) {
    const picture = await drawPage(page, sample);
    writeFileSync(join(sampleFolder, sample.file), picture);
    const name = basename(sample.file, extname(sample.file));
    writeFileSync(join(sampleFolder, `${name}-small.jpg`), await drawThumbnail(page, picture));
  }
}

const browser = await launchChromium();
mkdirSync(folder, { recursive: true });
mkdirSync(sampleFolder, { recursive: true });
await drawAll(await browser.newPage({ viewport: { width: 2400, height: 2400 } }));
await browser.close();
const listed = {
  lines: lines.map(({ file, text, font, size, format }) => ({
    file,
    text,
    font,
    size,
    format: format ?? 'rgb',
  })),
  pages: pages.map(({ file, text }) => ({ file, text })),
  samples: samples.map(({ file, name, exact, text }) => ({ file, name, exact, text })),
};
writeFileSync(
  join(folder, 'pictures.json'),
  await format(JSON.stringify(listed), { parser: 'json', printWidth: 110 }),
);
console.log(
  `${lines.length} lines and ${pages.length} pages of text are in ${folder}, ${samples.length} samples in ${sampleFolder}`,
);
