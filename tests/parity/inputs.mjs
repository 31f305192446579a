// @ts-check
// Inputs with the structure that networks were made for, from a seed: photo-like pictures, a voice, a face, token
// numbers; and real pictures of text. Out: tensors as the engines take them.

import { decodePicture } from '../../dist/read_text/decode_picture.js';
import { detectionTensor, directionTensor, recognitionTensor } from '../../dist/ocr/tensors.js';
import { readPicture } from '../pictures/index.mjs';
import { random } from './random.mjs';

/**
 * @typedef {Float32Array | Float64Array | Int8Array | Uint8Array | Uint16Array | Int16Array | Int32Array | Uint32Array |
 *   BigInt64Array | BigUint64Array | string[]} Data
 * @typedef {{ type: string, dims: readonly number[], data: Data }} Tensor
 */

/** @param {readonly number[]} dims */
const count = (dims) => dims.reduce((a, b) => a * b, 1);

/** @param {readonly number[]} dims @param {(i: number) => number} value @returns {Tensor} */
export const float32 = (dims, value) => ({
  type: 'float32',
  dims,
  data: Float32Array.from({ length: count(dims) }, (_, i) => value(i)),
});

/** @param {readonly number[]} dims @param {(i: number) => number} value @returns {Tensor} */
export const int64 = (dims, value) => ({
  type: 'int64',
  dims,
  data: BigInt64Array.from({ length: count(dims) }, (_, i) => BigInt(value(i))),
});

/** @param {readonly number[]} dims @param {(i: number) => number} value @returns {Tensor} */
export const int32 = (dims, value) => ({
  type: 'int32',
  dims,
  data: Int32Array.from({ length: count(dims) }, (_, i) => value(i)),
});

/** @param {readonly number[]} dims @param {(i: number) => number} value @returns {Tensor} */
export const uint8 = (dims, value) => ({
  type: 'uint8',
  dims,
  data: Uint8Array.from({ length: count(dims) }, (_, i) => value(i)),
});

/** Independent numbers with deviation 1. @param {readonly number[]} dims @param {number} seed */
export function noise(dims, seed) {
  const { normal } = random(seed);
  return float32(dims, normal);
}

/** Token numbers from 0 to `words` - 1. @param {readonly number[]} dims @param {number} words @param {number} seed */
export function tokens(dims, words, seed) {
  const { below } = random(seed);
  return int64(dims, () => below(words));
}

/**
 * Smooth structure at several scales plus a little noise, deviation 1: what a photo is to a network.
 * @param {number} size
 * @param {number} seed
 * @returns {Tensor} [1, 3, size, size]
 */
export function photo(size, seed) {
  const { normal } = random(seed);
  const data = new Float32Array(3 * size * size).map(() => 0.3 * normal());
  for (const n of [2, 5, 13, 40]) {
    const coarse = new Float32Array(3 * n * n).map(normal);
    addEnlarged(data, size, coarse, n);
  }
  const mean = data.reduce((a, b) => a + b) / data.length;
  const deviation = Math.sqrt(data.reduce((a, b) => a + (b - mean) ** 2, 0) / data.length);
  return { type: 'float32', dims: [1, 3, size, size], data: data.map((v) => v / deviation) };
}

/**
 * Adds three n x n planes, linearly enlarged to size x size.
 * @param {Float32Array} data
 * @param {number} size
 * @param {Float32Array} coarse
 * @param {number} n
 */
function addEnlarged(data, size, coarse, n) {
  const taps = Array.from({ length: size }, (_, i) => {
    const at = Math.min(n - 1, Math.max(0, ((i + 0.5) * n) / size - 0.5));
    const low = Math.min(n - 2, Math.floor(at));
    return { low, part: at - low };
  });
  for (let c = 0; c < 3; c++) {
    for (let y = 0; y < size; y++) {
      for (let x = 0; x < size; x++) {
        const [v, h] = [taps[y], taps[x]];
        const at = (c * n + v.low) * n + h.low;
        const top = coarse[at] * (1 - h.part) + coarse[at + 1] * h.part;
        const bottom = coarse[at + n] * (1 - h.part) + coarse[at + n + 1] * h.part;
        data[(c * size + y) * size + x] += top * (1 - v.part) + bottom * v.part;
      }
    }
  }
}

export const kVoiceRate = 16_000;

/**
 * A voice that says vowels of a quarter of a second with pauses between, at 16 kHz, amplitude below 1: pulses of the
 * glottis with a wandering pitch, through three resonances (formants), over faint noise. Every third syllable, from the
 * first on, is silent.
 * @param {number} samples
 * @param {number} seed
 */
export function voice(samples, seed) {
  const { normal, below } = random(seed);
  /** Formants of a, e, i, o, u of an adult voice, in Hz (Peterson and Barney, 1952, rounded). */
  const vowels = [[730, 1090, 2440], [530, 1840, 2480], [270, 2290, 3010], [570, 840, 2410], [300, 870, 2240]]; // prettier-ignore
  const syllable = kVoiceRate / 4;
  const result = new Float32Array(samples);
  const memory = [0, 0, 0, 0, 0, 0];
  let phase = 0;
  let formants = vowels[0];
  const base = 105 + 20 * (seed % 5);
  for (let t = 0; t < samples; t++) {
    if (t % syllable === 0) formants = vowels[below(vowels.length)];
    const place = (t % syllable) / syllable;
    const silent = Math.floor(t / syllable) % 3 === 0;
    const loudness = silent ? 0 : Math.sin(Math.PI * place) ** 0.5;
    phase += (base * (1 + 0.1 * Math.sin((2 * Math.PI * 3 * t) / kVoiceRate))) / kVoiceRate;
    const pulse = phase % 1 < 0.6 ? Math.sin((Math.PI * (phase % 1)) / 0.6) ** 2 - 0.3 : -0.3;
    let sound = loudness * pulse + 0.02 * loudness * normal();
    for (let f = 0; f < 3; f++) sound += 0.5 ** f * resonance(memory, f, formants[f], loudness * pulse);
    result[t] = 0.12 * sound + 0.0005 * normal();
  }
  return result;
}

/**
 * One step of a two-pole resonator (Klatt, 1980) of 90 Hz bandwidth.
 * @param {number[]} memory two past outputs of each resonator
 * @param {number} which
 * @param {number} frequency in Hz
 * @param {number} input
 */
function resonance(memory, which, frequency, input) {
  const radius = Math.exp((-Math.PI * 90) / kVoiceRate);
  const turn = 2 * radius * Math.cos((2 * Math.PI * frequency) / kVoiceRate);
  const square = radius * radius;
  const output = (1 - turn + square) * input + turn * memory[2 * which] - square * memory[2 * which + 1];
  memory[2 * which + 1] = memory[2 * which];
  memory[2 * which] = output;
  return output;
}

/**
 * A drawn face before a background, values from -1 to 1.
 * @param {number} size
 * @param {number} seed moves the face and changes its colors
 * @returns {Tensor} [1, size, size, 3]
 */
export function face(size, seed) {
  const { uniform, normal } = random(seed);
  const [cx, cy, r] = [0.4 + 0.2 * uniform(), 0.42 + 0.12 * uniform(), 0.2 + 0.08 * uniform()];
  const back = [uniform(), uniform(), uniform()].map((c) => 0.3 + 0.4 * c);
  const skin = [0.85, 0.66, 0.54].map((c) => c * (0.75 + 0.25 * uniform()));
  const dark = [0.15, 0.1, 0.08];
  const lips = [0.7, 0.3, 0.3];
  /** Ellipses in units of the face's radius, later ones over earlier ones. */
  const parts = [
    { x: 0, y: 2.1, w: 1.5, h: 1.1, color: back.map((c) => 0.8 - c) },
    { x: 0, y: -0.25, w: 0.95, h: 1.2, color: dark },
    { x: 0, y: 0.1, w: 0.8, h: 1.1, color: skin },
    ...[-0.33, 0.33].flatMap((x) => [
      { x, y: -0.33, w: 0.22, h: 0.05, color: dark },
      { x, y: -0.15, w: 0.17, h: 0.09, color: [0.95, 0.95, 0.95] },
      { x, y: -0.15, w: 0.08, h: 0.09, color: dark },
    ]),
    { x: 0, y: 0.2, w: 0.1, h: 0.22, color: skin.map((c) => 0.85 * c) },
    { x: 0, y: 0.6, w: 0.3, h: 0.09, color: lips },
  ];
  const data = new Float32Array(size * size * 3);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const [u, v] = [((x + 0.5) / size - cx) / r, ((y + 0.5) / size - cy) / r];
      let color = back.map((c) => c + 0.15 * ((x - y) / size));
      for (const part of parts) {
        const distance = Math.hypot((u - part.x) / part.w, (v - part.y) / part.h);
        const cover = Math.min(1, Math.max(0, (1 - distance) * part.w * r * size));
        const light = 1 - 0.2 * (u - part.x) * part.w;
        color = color.map((c, i) => c * (1 - cover) + cover * part.color[i] * light);
      }
      for (let c = 0; c < 3; c++)
        data[(y * size + x) * 3 + c] = Math.max(-1, Math.min(1, 2 * color[c] - 1 + 0.02 * normal()));
    }
  }
  return { type: 'float32', dims: [1, size, size, 3], data };
}

/**
 * @param {string} file a picture of tests/pictures
 * @param {boolean} turned upside down
 */
function picture(file, turned) {
  const { width, height, rgba } = decodePicture(readPicture(file), file);
  if (!turned) return { width, height, rgba };
  const pixels = new Uint32Array(rgba.slice().buffer).reverse();
  return { width, height, rgba: new Uint8ClampedArray(pixels.buffer) };
}

/** @param {string} file @param {boolean} turned */
export const lineOfText = (file, turned) => recognitionTensor([picture(file, turned)]);

/** @param {string} file @param {boolean} turned */
export const pageOfText = (file, turned) => detectionTensor(picture(file, turned), 640);

/** @param {string} file @param {boolean} turned */
export const directionOfText = (file, turned) => directionTensor(picture(file, turned));

/** The page in the top left of a white square of `side` pixels. @param {string} file @param {number} side */
export function squarePageOfText(file, side) {
  const page = picture(file, false);
  const whole = Math.max(page.width, page.height);
  const rgba = new Uint8ClampedArray(4 * whole * whole).fill(255);
  for (let y = 0; y < page.height; y++)
    rgba.set(page.rgba.subarray(4 * y * page.width, 4 * (y + 1) * page.width), 4 * y * whole);
  return detectionTensor({ width: whole, height: whole, rgba }, side);
}
