// @ts-check
// Pictures of text: every kind of PNG and JPEG is decoded to what was drawn, the tensors have the networks' layout,
// the decoder of characters does what connectionist temporal classification says, and bad files are refused by name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeText, readAlphabet } from '../../dist/ocr/ctc.js';
import { turnUpright } from '../../dist/read_text/orientation.js';
import { decodePicture } from '../../dist/read_text/decode_picture.js';
import { resample } from '../../dist/ocr/resample.js';
import { detectionTensor, directionTensor, recognitionTensor } from '../../dist/ocr/tensors.js';
import { encodePng } from '../../tools/pictures/png.mjs';
import { pictures, readPicture } from '../pictures/index.mjs';

/** @param {Partial<import('../../tools/pictures/png.mjs').Png>} png */
const pixelsOf = (png) => {
  const bytes = encodePng({ width: 2, height: 1, depth: 8, colorType: 0, samples: [], ...png });
  const { rgba } = decodePicture(bytes, 'drawn.png');
  return [[...rgba.subarray(0, 3)], [...rgba.subarray(4, 7)]];
};

test('every color type and depth of PNG becomes the same RGB over white', () => {
  const black = [0, 0, 0];
  const white = [255, 255, 255];
  assert.deepEqual(pixelsOf({ colorType: 0, samples: [0, 128] }), [black, [128, 128, 128]]);
  assert.deepEqual(pixelsOf({ colorType: 0, depth: 1, samples: [1, 0] }), [white, black]);
  assert.deepEqual(pixelsOf({ colorType: 0, depth: 2, samples: [1, 3] }), [[85, 85, 85], white]);
  assert.deepEqual(pixelsOf({ colorType: 0, depth: 4, samples: [0, 15] }), [black, white]);
  assert.deepEqual(pixelsOf({ colorType: 0, depth: 16, samples: [257, 65535] }), [[1, 1, 1], white]);
  assert.deepEqual(pixelsOf({ colorType: 0, samples: [7, 8], transparency: [7] }), [white, [8, 8, 8]]);
  assert.deepEqual(pixelsOf({ colorType: 2, samples: [1, 2, 3, 4, 5, 6] }), [
    [1, 2, 3],
    [4, 5, 6],
  ]);
  assert.deepEqual(pixelsOf({ colorType: 2, depth: 16, samples: [257, 514, 771, 0, 0, 65535] }), [
    [1, 2, 3],
    [0, 0, 255],
  ]);
  assert.deepEqual(
    pixelsOf({ colorType: 2, width: 3, samples: [1, 2, 3, 4, 5, 6, 0, 0, 0], transparency: [4, 5, 6] }),
    [[1, 2, 3], white],
  );
  const palette = [
    [9, 8, 7],
    [60, 50, 40],
  ];
  assert.deepEqual(pixelsOf({ colorType: 3, samples: [1, 0], palette }), [
    [60, 50, 40],
    [9, 8, 7],
  ]);
  assert.deepEqual(pixelsOf({ colorType: 3, depth: 1, samples: [1, 0], palette }), [
    [60, 50, 40],
    [9, 8, 7],
  ]);
  assert.deepEqual(pixelsOf({ colorType: 3, samples: [0, 1], palette, transparency: [0] }), [
    white,
    [60, 50, 40],
  ]);
  assert.deepEqual(pixelsOf({ colorType: 4, samples: [0, 255, 0, 51] }), [black, [204, 204, 204]]);
  assert.deepEqual(pixelsOf({ colorType: 6, samples: [255, 0, 0, 255, 255, 0, 0, 0] }), [[255, 0, 0], white]);
});

test('packed rows begin at a new byte', () => {
  const samples = [0, 1, 1, 1, 0, 1];
  const { rgba } = decodePicture(
    encodePng({ width: 3, height: 2, colorType: 0, depth: 1, samples }),
    'odd.png',
  );
  assert.deepEqual(
    samples.map((_, i) => rgba[4 * i] / 255),
    samples,
  );
});

test('a JPEG that was stored on its side is turned upright', () => {
  const { width, height } = decodePicture(readPicture('held-upright.jpg'), 'held-upright.jpg');
  assert.ok(width > 3 * height, `${width} x ${height}`);
  // The eight orientations of the letter-like pattern 1 2 / 3 4 / 5 6, as Exif 2.3 draws them.
  const upright = [1, 2, 3, 4, 5, 6];
  const stored = [
    [2, 3, [1, 2, 3, 4, 5, 6]], [2, 3, [2, 1, 4, 3, 6, 5]], [2, 3, [6, 5, 4, 3, 2, 1]], [2, 3, [5, 6, 3, 4, 1, 2]],
    [3, 2, [1, 3, 5, 2, 4, 6]], [3, 2, [2, 4, 6, 1, 3, 5]], [3, 2, [6, 4, 2, 5, 3, 1]], [3, 2, [5, 3, 1, 6, 4, 2]],
  ]; // prettier-ignore
  for (const [i, [w, h, pixels]] of /** @type {[number, number, number[]][]} */ (stored).entries()) {
    const rgba = Uint8ClampedArray.from(pixels.flatMap((p) => [p, p, p, 255]));
    const turned = turnUpright({ width: w, height: h, rgba }, i + 1);
    assert.deepEqual([turned.width, turned.height], [2, 3], `orientation ${i + 1}`);
    assert.deepEqual(
      upright.map((_, k) => turned.rgba[4 * k]),
      upright,
      `orientation ${i + 1}`,
    );
  }
});

test('what is no picture is named', () => {
  const png = readPicture('quick-brown-fox.png');
  const damaged = Uint8Array.from(png);
  damaged[100] ^= 1;
  /** @type {[Uint8Array | string, RegExp][]} */
  const cases = [
    [new Uint8Array(), /^f is empty; a PNG or JPEG picture was expected$/],
    ['GIF89a', /f is a GIF picture; a PNG or JPEG/],
    ['RIFF\0\0\0\0WEBPVP8 ', /f is a WebP picture/],
    ['%PDF-1.7', /f is a PDF document/],
    ['<!DOCTYPE html>', /f is an HTML page/],
    ['version https://git-lfs.github.com/spec/v1', /f is a Git LFS pointer/],
    ['\x01\x02\x03\x04\x05', /f is of an unknown kind \(it begins with the bytes 01 02 03 04\)/],
    [png.subarray(0, 20), /f is a PNG picture that cannot be read: it ends within its header/],
    [png.subarray(0, png.length / 2), /f is a PNG picture that cannot be read/],
    [damaged, /f is a PNG picture that cannot be read/],
    [readPicture('opening-hours.jpg').subarray(0, 300), /f is a JPEG picture that cannot be read/],
    [hugePng(), /it is 65536 x 65536 pixels; between 1 and 100 million were expected/],
  ];
  for (const [content, message] of cases) {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
    assert.throws(() => decodePicture(bytes, 'f'), { message });
  }
});

function hugePng() {
  const bytes = encodePng({ width: 1, height: 1, colorType: 0, depth: 8, samples: [0] });
  bytes.writeUInt32BE(65536, 16);
  bytes.writeUInt32BE(65536, 20);
  return bytes;
}

test('resampling keeps flat areas, means and edges', () => {
  const width = 40;
  const rgba = new Uint8ClampedArray(4 * width * 10).map((_, i) =>
    Math.floor(i / 4) % width < 20 ? 0 : 200,
  );
  const picture = { width, height: 10, rgba };
  for (const [w, h] of [
    [40, 10],
    [20, 5],
    [80, 30],
    [10, 3],
    [7, 1],
  ]) {
    const plane = resample(picture, w, h).subarray(0, w * h);
    const mean = plane.reduce((a, b) => a + b) / plane.length;
    assert.ok(Math.abs(mean - 100) < 3, `${w} x ${h}: the mean is ${mean}, 100 was drawn`);
    assert.ok(plane[0] < 1 && plane[w - 1] > 199, `${w} x ${h}: ends ${plane[0]} and ${plane[w - 1]}`);
  }
  assert.deepEqual(
    resample(picture, 40, 10).subarray(0, 400),
    Float32Array.from({ length: 400 }, (_, i) => rgba[4 * i]),
  );
});

test("tensors have the networks' sizes, channel order and normalization", () => {
  const red = {
    width: 100,
    height: 24,
    rgba: new Uint8ClampedArray(4 * 2400).map((_, i) => (i % 4 === 0 ? 255 : 0)),
  };
  const line = recognitionTensor([red]);
  assert.deepEqual(line.dims, [1, 3, 48, 200]);
  assert.deepEqual([line.data[0], line.data[48 * 200], line.data[2 * 48 * 200]], [-1, -1, 1]);
  assert.deepEqual(recognitionTensor([{ ...red, width: 24, height: 100 }]).dims, [1, 3, 48, 48]);
  // The shorter line of a batch ends in mean gray.
  const both = recognitionTensor([red, { ...red, width: 50 }], 256);
  assert.deepEqual(both.dims, [2, 3, 48, 256]);
  const second = both.data.subarray(3 * 48 * 256);
  assert.deepEqual([both.data[199], both.data[200], second[99], second[100]], [-1, 0, -1, 0]);
  const direction = directionTensor({ ...red, width: 50, height: 48 });
  assert.deepEqual(direction.dims, [1, 3, 48, 192]);
  assert.deepEqual(
    [direction.data[0], direction.data[49], direction.data[50], direction.data[191]],
    [-1, -1, 0, 0],
  );
  assert.deepEqual(directionTensor({ ...red, width: 600, height: 4 }).dims, [1, 3, 48, 192]);
  const page = detectionTensor({ width: 1920, height: 1, rgba: new Uint8ClampedArray(4 * 1920) });
  assert.deepEqual(page.dims, [1, 3, 32, 960]);
  assert.ok(Math.abs(page.data[0] - -0.485 / 0.229) < 1e-6);
});

test('the most probable characters are read without blanks and repetitions', () => {
  const alphabet = readAlphabet('a\nb\n');
  assert.deepEqual(alphabet, ['', 'a', 'b', ' ']);
  const steps = [3, 1, 1, 0, 1, 2, 3, 2, 0, 3];
  const data = Float32Array.from(steps.flatMap((best) => alphabet.map((_, k) => (k === best ? 0.7 : 0.1))));
  const [read] = decodeText(data, [1, steps.length, 4], alphabet);
  assert.equal(read.text, 'aab b');
  assert.ok(Math.abs(read.confidence - 0.7) < 1e-6);
  assert.deepEqual(decodeText(new Float32Array(4), [1, 1, 4], alphabet), [{ text: '', confidence: 0 }]);
  assert.throws(() => decodeText(data, [1, 8, 5], alphabet), /knows 5 characters, the list 4/);
  assert.throws(() => decodeText(data, [40], alphabet), /\[batch, steps, classes\] was expected/);
});

test('the pictures in git are there and small', () => {
  assert.ok(pictures.lines.length >= 12 && pictures.pages.length >= 3);
  for (const { file } of [...pictures.lines, ...pictures.pages]) {
    assert.ok(readPicture(file).length < 60_000, file);
    decodePicture(readPicture(file), file);
  }
});
