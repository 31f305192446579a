// @ts-check
// PP-OCRv4's recognition network reads every test picture: several fonts, sizes and kinds of file.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { LineReader } from '../../dist/read_text/readers.js';
import { decodePicture } from '../../dist/read_text/decode_picture.js';
import { pictures, readPicture } from '../pictures/index.mjs';

/** @type {LineReader} */
let reader;
before(async () => {
  reader = await LineReader.load();
});
after(() => reader.dispose());

for (const { file, text, font, size } of pictures.lines) {
  test(`${file} (${font}, ${size} pixels)`, async () => {
    const read = await reader.read(decodePicture(readPicture(file), file));
    assert.equal(read.text, text);
    assert.ok(read.confidence > 0.9 && read.confidence <= 1, String(read.confidence));
  });
}
