// @ts-check
// Whole pictures: the places of text are found, put in order and read; and the geometry behind that.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { boxesIn } from '../../dist/ocr/boxes.js';
import { crop, withMargin } from '../../dist/ocr/crop.js';
import { textOf } from '../../dist/ocr/page_reader.js';
import { convexHull, cornersOf, smallestRectangle } from '../../dist/ocr/quad.js';
import { inRows } from '../../dist/ocr/reading_order.js';
import { regionsAbove } from '../../dist/ocr/regions.js';
import { decodePicture } from '../../dist/read_text/decode_picture.js';
import { loadPageReader } from '../../dist/read_text/readers.js';
import { pictures, readPicture } from '../pictures/index.mjs';

/** @typedef {import('../../dist/ocr/quad.js').Quad} Quad */

/** @param {string} file */
const readSample = (file) => readFileSync(new URL(`../../demos/samples/${file}`, import.meta.url));

/** @param {string} drawing rows of "." and "#" */
function plane(drawing) {
  const rows = drawing.trim().split(/\s+/);
  const data = Float32Array.from(rows.flatMap((row) => [...row].map((c) => (c === '#' ? 0.9 : 0.1))));
  return { data, width: rows[0].length, height: rows.length };
}

test('regions are joined over sides and corners, also where two branches meet late', () => {
  const regions = regionsAbove(plane('#..#. #..#. .##.. ....# #....'), 0.3);
  assert.equal(regions.length, 3);
  assert.deepEqual(regions[0].slice(0, 2), [
    [0, 0],
    [1, 0],
  ]);
  assert.equal(regionsAbove(plane('... ...'), 0.3).length, 0);
  assert.equal(regionsAbove(plane('#.#.# .#.#.'), 0.3).length, 1);
});

test('the smallest rectangle around turned corners is that rectangle', () => {
  for (const degrees of [0, 3, -20, 44, -44, 90, 135]) {
    const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    /** @type {[number, number][]} */
    const points = [];
    for (const u of [-40, 0, 13, 40])
      for (const v of [-5, 1, 5]) points.push([100 + c * u - s * v, 50 + s * u + c * v]);
    const { center, axis, width, height } = smallestRectangle(convexHull(points));
    assert.ok(Math.abs(center[0] - 100) < 1e-9 && Math.abs(center[1] - 50) < 1e-9, `${degrees}: ${center}`);
    assert.deepEqual([Math.round(Math.max(width, height)), Math.round(Math.min(width, height))], [80, 10]);
    assert.ok(axis[0] > 0.7, `${degrees}: ${axis}`);
    const [first, second] = cornersOf({ center, axis, width, height });
    // Text that runs along the longer side, never from right to left.
    const along = Math.hypot(second[0] - first[0], second[1] - first[1]);
    assert.ok(Math.abs(along - 80) < 1e-9 && second[0] > first[0] - 1e-9, `${degrees}: ${first} ${second}`);
  }
});

test('boxes are grown by what the network shrinks, and need certainty and size', () => {
  const [width, height] = [64, 32];
  const data = new Float32Array(width * height);
  const fill = (/** @type {number[]} */ [x0, y0, x1, y1], /** @type {number} */ value) => {
    for (let y = y0; y < y1; y++) data.fill(value, y * width + x0, y * width + x1);
  };
  fill([10, 10, 50, 20], 0.9);
  fill([2, 24, 30, 30], 0.5); // uncertain
  fill([40, 28, 60, 30], 0.9); // two pixels high
  const boxes = boxesIn({ data, width, height });
  assert.equal(boxes.length, 1);
  const by = (40 * 10 * 1.5) / (2 * 50);
  const expected = [10 - by, 10 - by, 50 + by, 10 - by, 50 + by, 20 + by, 10 - by, 20 + by];
  for (const [i, value] of boxes[0].flat().entries())
    assert.ok(Math.abs(value - expected[i]) < 1e-6, `corner ${i}`);
});

/** @param {number} x @param {number} y @param {number} width @param {number} height @returns {Quad} */
const quad = (x, y, width, height) => [
  [x, y],
  [x + width, y],
  [x + width, y + height],
  [x, y + height],
];

test('rows are read from the top and from the left, also on a turned page; what overlaps is one line', () => {
  const [title, left, right, second] = [quad(10, 0, 80, 10), quad(0, 20, 40, 10), quad(60, 22, 30, 10), quad(0, 40, 50, 10)]; // prettier-ignore
  const rows = [[title], [left, right], [second]];
  assert.deepEqual(inRows([second, right, title, left]), rows);
  const turn = (/** @type {Quad} */ q) =>
    /** @type {Quad} */ (
      /** @type {unknown} */ (
        q.map(([x, y]) => [x * Math.cos(0.3) - y * Math.sin(0.3), x * Math.sin(0.3) + y * Math.cos(0.3)])
      )
    );
  assert.deepEqual(
    inRows([second, right, title, left].map(turn)),
    rows.map((row) => row.map(turn)),
  );
  const [[joined], ...others] = inRows([quad(0, 0, 50, 10), quad(45, 0, 30, 10)]);
  assert.deepEqual([joined.map(([x]) => Math.round(x)), others], [[0, 75, 75, 0], []]);
  assert.deepEqual(inRows([]), []);
});

test('a place is cut out upright and with its margin', () => {
  const [width, height] = [20, 20];
  // Red grows to the right, green downwards.
  const rgba = new Uint8ClampedArray(4 * width * height).map((_, i) =>
    i % 4 === 0
      ? 10 * (Math.floor(i / 4) % width)
      : i % 4 === 1
        ? 10 * Math.floor(i / 4 / width)
        : i % 4 === 2
          ? 7
          : 255,
  );
  const picture = { width, height, rgba };
  const straight = crop(picture, quad(4, 6, 8, 3));
  assert.deepEqual([straight.width, straight.height], [8, 3]);
  assert.deepEqual([...straight.rgba.subarray(0, 8)], [40, 60, 7, 255, 50, 60, 7, 255]);
  // Text that runs upwards: its first pixel is the lowest.
  const upwards = crop(picture, [
    [4, 14],
    [4, 6],
    [7, 6],
    [7, 14],
  ]);
  assert.deepEqual([upwards.width, upwards.height], [8, 3]);
  assert.deepEqual([...upwards.rgba.subarray(0, 4)], [40, 130, 7, 255]);
  assert.deepEqual(withMargin(quad(4, 6, 8, 10), 0.2), quad(2, 4, 12, 14));
  // Beyond the border its last pixels go on.
  assert.deepEqual([...crop(picture, quad(-5, -5, 3, 3)).rgba.subarray(0, 4)], [0, 0, 7, 255]);
});

test('the text of a page has a row a line', () => {
  const lines = [['a', 0], ['b', 1], ['c', 1], ['d', 2]].map(([text, row]) => ({ text: String(text), row: Number(row) })); // prettier-ignore
  assert.equal(textOf(lines), 'a\nb\tc\nd');
});

/** @type {Awaited<ReturnType<typeof loadPageReader>>} */
let loaded;
before(async () => {
  loaded = await loadPageReader();
});
after(() => loaded.engine.dispose());

for (const { file, text } of pictures.pages) {
  test(`${file} is read whole`, async () => {
    const picture = decodePicture(readPicture(file), file);
    const lines = await loaded.reader.read(picture);
    assert.deepEqual(
      lines.map((line) => line.text),
      text,
    );
    for (const { quad: corners } of lines) {
      for (const [x, y] of corners)
        assert.ok(x > 0 && x < picture.width && y > 0 && y < picture.height, `${x}, ${y}`);
    }
  });
}

test("the demo's samples are small, and named as the page names them", () => {
  const page = readFileSync(new URL('../../demos/page/samples.ts', import.meta.url), 'utf8');
  for (const { file, name } of pictures.samples) {
    const [base] = file.split('.');
    assert.ok(readSample(file).length < 150_000, file);
    assert.ok(readSample(`${base}-small.jpg`).length < 10_000, file);
    assert.match(page, new RegExp(`name: '${name}', url: ${base}, small: ${base}Small`));
  }
});

test('a picture without text has none', async () => {
  const rgba = new Uint8ClampedArray(4 * 64 * 64).fill(200);
  assert.deepEqual(await loaded.reader.read({ width: 64, height: 64, rgba }), []);
});
