// @ts-check
// The models of the benchmark and the feeds of their measured run. Files and inputs are those of the parity tests; a
// row here says what is measured where a parity case has several steps or other extents.

import { existsSync } from 'node:fs';
import * as inputs from '../../tests/parity/inputs.mjs';
import { cases } from '../../tests/parity/models.mjs';
import { pictures } from '../../tests/pictures/index.mjs';

/** @typedef {import('../../tests/parity/inputs.mjs').Tensor} Tensor */
/** @typedef {{ name: string, path: string, fromZoo: boolean, feeds: () => Record<string, Tensor> }} Model */

const seed = 1;
/** Tokens that the decoder has behind it. */
const kPast = 64;
/** A chunk of the voice's first syllable with sound. */
const kSpokenChunk = 10;

/** @type {Record<string, () => Record<string, Tensor>>} */
const feedsOf = {
  ppocr_detection: () => ({ x: inputs.squarePageOfText(pictures.pages[0].file, 320) }),
  decoder_dyn: () => ({
    input_ids: inputs.tokens([1, 1], 8000, seed),
    past: inputs.noise([4, 2, 1, 8, kPast, 32], seed),
  }),
  silero_v5: () => caseOf('silero_v5').feeds(seed, kSpokenChunk),
};

/** Every model that can be named: those of the parity tests. @type {Model[]} */
export const allModels = cases.map(({ name, path, from, feeds }) => ({
  name,
  path,
  fromZoo: from === 'zoo',
  feeds: feedsOf[name] ?? (() => feeds(seed, 0)),
}));

const packaged = [
  'ppocr_detection', 'ppocr_recognition', 'ppocr_direction', 'silero_v5', 'blazeface_front', 'blazeface_back',
]; // prettier-ignore

/** What is measured when no model is named, as far as it is there. */
export const standardModels = allModels.filter(({ name, fromZoo }) => fromZoo || packaged.includes(name));

/** @param {Model} model */
export const isThere = ({ path }) => existsSync(path);

/** @param {string} name */
function caseOf(name) {
  const found = cases.find((testCase) => testCase.name === name);
  if (!found) throw new Error(`the parity tests have no model ${name}`);
  return found;
}
