// The main job of `npm start`: reads the text in a picture, says how long it took, and shows what the
// compiler does for its first line.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorText, milliseconds } from '../cli/text.js';
import { crop } from '../ocr/crop.js';
import { textOf } from '../ocr/page_reader.js';
import { decodePicture } from './decode_picture.js';
import { loadPageReader } from './readers.js';
import { tableOfWays } from './ways.js';

const kPicture = fileURLToPath(new URL('../../tests/pictures/quick-brown-fox.png', import.meta.url));

/** @returns the process's exit code; errors are printed as one sentence */
export async function readText(file = kPicture): Promise<number> {
  try {
    await readFrom(file);
    return 0;
  } catch (error) {
    console.error(errorText(error));
    return 1;
  }
}

async function readFrom(file: string): Promise<void> {
  const picture = decodePicture(readFileSync(file), file);
  const start = performance.now();
  const { reader, engine } = await loadPageReader();
  const loaded = performance.now();
  const lines = await reader.read(picture);
  const read = performance.now();
  await engine.dispose();
  console.log(`picture     ${file} (${picture.width} x ${picture.height})`);
  console.log(`text        ${textOf(lines).replaceAll('\n', `\n${' '.repeat(12)}`) || '(none found)'}`);
  console.log(
    `confidence  ${lines.map(({ confidence }) => `${(100 * confidence).toFixed(1)} %`).join(', ')}`,
  );
  console.log(
    `time        ${milliseconds(read - loaded)} to read, ${milliseconds(loaded - start)} to load the networks`,
  );
  const [first] = lines;
  if (first) console.log(`\n${await tableOfWays(crop(picture, first.quad))}`);
}
