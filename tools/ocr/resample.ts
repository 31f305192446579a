// Resizes a picture with a triangle filter: linear interpolation when it grows, an average over the pixels that
// an output pixel covers when it shrinks, so that thin strokes stay. Pixel centers are at half coordinates.

import type { Picture } from './picture.js';

interface Taps {
  /** The first input that an output reads, for each output. */
  readonly first: Int32Array;
  /** Weights of `count` inputs from the first on, for each output; they sum to 1. */
  readonly weights: Float32Array;
  readonly count: number;
}

function triangleTaps(from: number, to: number): Taps {
  const scale = from / to;
  const radius = Math.max(1, scale);
  const count = Math.min(from, Math.ceil(2 * radius) + 1);
  const first = new Int32Array(to);
  const weights = new Float32Array(to * count);
  for (let i = 0; i < to; i++) {
    const center = (i + 0.5) * scale - 0.5;
    const start = Math.max(0, Math.min(from - count, Math.ceil(center - radius)));
    const row = weights.subarray(i * count, (i + 1) * count);
    for (let k = 0; k < count; k++) row[k] = Math.max(0, 1 - Math.abs(start + k - center) / radius);
    const sum = row.reduce((a, b) => a + b);
    for (let k = 0; k < count; k++) row[k] = (row[k] ?? 0) / sum;
    first[i] = start;
  }
  return { first, weights, count };
}

/** Red, green and blue planes of height x width values from 0 to 255, one after the other. */
export function resample(picture: Picture, width: number, height: number): Float32Array {
  const across = triangleTaps(picture.width, width);
  const down = triangleTaps(picture.height, height);
  const result = new Float32Array(3 * height * width);
  const narrow = new Float32Array(picture.height * width);
  for (let c = 0; c < 3; c++) {
    narrowRows(picture, c, across, narrow);
    mixRows(narrow, width, down, result.subarray(c * height * width, (c + 1) * height * width));
  }
  return result;
}

/** One channel at its full height and the new width. */
function narrowRows(
  picture: Picture,
  channel: number,
  { first, weights, count }: Taps,
  to: Float32Array,
): void {
  const width = first.length;
  for (let y = 0; y < picture.height; y++) {
    for (let x = 0; x < width; x++) {
      const from = 4 * (y * picture.width + (first[x] ?? 0)) + channel;
      let sum = 0;
      for (let k = 0; k < count; k++)
        sum += (weights[x * count + k] ?? 0) * (picture.rgba[from + 4 * k] ?? 0);
      to[y * width + x] = sum;
    }
  }
}

function mixRows(from: Float32Array, width: number, { first, weights, count }: Taps, to: Float32Array): void {
  for (let y = 0; y < first.length; y++) {
    for (let k = 0; k < count; k++) {
      const weight = weights[y * count + k] ?? 0;
      const row = ((first[y] ?? 0) + k) * width;
      for (let x = 0; x < width; x++)
        to[y * width + x] = (to[y * width + x] ?? 0) + weight * (from[row + x] ?? 0);
    }
  }
}
