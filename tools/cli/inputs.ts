// What `fuselane run` feeds: --input name=file.npy, name=picture.png, name=random[:1x3x224x224], name=zeros[:1x128]. An
// input that is not named is random.

import { readFileSync } from 'node:fs';
import type { Port, TensorData, TensorInput } from 'fuselane';
import { decodePicture } from '../read_text/decode_picture.js';
import { resample } from '../ocr/resample.js';
import { readNpy } from './npy.js';

/**
 * @param givens the texts after --input
 * @param seed of the random inputs: the same seed gives the same values
 * @throws Error in one sentence
 */
export function makeFeeds(inputs: readonly Port[], givens: readonly string[], seed: number) {
  const feeds: Record<string, TensorInput> = {};
  for (const given of givens) {
    const equals = given.indexOf('=');
    if (equals < 1)
      throw new Error(
        `--input ${given} must be name=file.npy, name=picture.png, name=random:1x3x224x224 or name=zeros:1x128`,
      );
    const name = given.slice(0, equals);
    const value = given.slice(equals + 1);
    const port = inputs.find((input) => input.name === name);
    // The engine says which names there are.
    feeds[name] = port ? makeFeed(port, value, seed) : { dims: [0], data: new Float32Array(0) };
  }
  for (const port of inputs) feeds[port.name] ??= makeFeed(port, 'random', seed);
  return feeds;
}

function makeFeed(port: Port, value: string, seed: number): TensorInput {
  const [, kind, dims] = /^(random|zeros)(?::([\dx,]*))?$/.exec(value) ?? [];
  if (kind !== undefined) {
    const tensor = randomTensor(port, dimsFor(port, dims), seed);
    if (kind === 'zeros') new Uint8Array((tensor.data as TensorData).buffer).fill(0);
    return tensor;
  }
  const bytes = readFileSync(value);
  return /\.npy$/i.test(value) ? readNpy(bytes, value) : pictureTensor(port, bytes, value);
}

/** Given dims, or the model's with 1 for each open one. */
function dimsFor(port: Port, given: string | undefined): number[] {
  if (given !== undefined) return given.split(/[x,]/).filter(Boolean).map(Number);
  if (port.dims) return port.dims.map((dim) => (typeof dim === 'number' ? dim : 1));
  throw new Error(
    `the model leaves the rank of "${port.name}" open: give --input ${port.name}=random:1x3x224x224`,
  );
}

/** Floats are normal with mean 0 and deviation 1, integers 0 to 9 (as indices tend to be allowed), bools both. */
function randomTensor({ name, type }: Port, dims: number[], seed: number): TensorInput {
  const count = dims.reduce((a, b) => a * b, 1);
  const random = generator(seed, name);
  const digit = (): number => Math.floor(random() * 10);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const makers: Partial<Record<typeof type, () => TensorData>> = {
    float32: () => Float32Array.from({ length: count }, normal),
    float64: () => Float64Array.from({ length: count }, normal),
    int8: () => Int8Array.from({ length: count }, digit),
    uint8: () => Uint8Array.from({ length: count }, digit),
    int16: () => Int16Array.from({ length: count }, digit),
    uint16: () => Uint16Array.from({ length: count }, digit),
    int32: () => Int32Array.from({ length: count }, digit),
    uint32: () => Uint32Array.from({ length: count }, digit),
    int64: () => BigInt64Array.from({ length: count }, () => BigInt(digit())),
    uint64: () => BigUint64Array.from({ length: count }, () => BigInt(digit())),
    bool: () => Uint8Array.from({ length: count }, () => Number(random() < 0.5)),
  };
  const make = makers[type];
  if (!make) throw new Error(`no random ${type} can be made for "${name}": give --input ${name}=file.npy`);
  return { type, dims, data: make() };
}

/** Uniform in [0, 1): the generator mulberry32, begun with the seed and the input's name (FNV-1a). */
function generator(seed: number, name: string): () => number {
  let state = (seed ^ 0x811c9dc5) | 0;
  for (const char of name) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A picture for [1, 3, height, width] or [1, height, width, 3]: red, green, blue, 0 to 1 in floats, 0 to 255 in uint8. */
function pictureTensor({ name, type, dims: open }: Port, bytes: Uint8Array, file: string): TensorInput {
  const picture = decodePicture(bytes, file);
  if (open?.length !== 4 || (type !== 'float32' && type !== 'uint8'))
    throw new Error(
      `"${name}" takes no picture: that needs float32 or uint8 and 4 dimensions; give a .npy file`,
    );
  const channelsLast = open[3] === 3 && open[1] !== 3;
  const extent = (axis: number, otherwise: number): number => {
    const dim = open[axis];
    return typeof dim === 'number' ? dim : otherwise;
  };
  const height = extent(channelsLast ? 1 : 2, picture.height);
  const width = extent(channelsLast ? 2 : 3, picture.width);
  if (extent(0, 1) !== 1 || extent(channelsLast ? 3 : 1, 3) !== 3)
    throw new Error(`"${name}" takes no picture: one with 3 channels was expected; give a .npy file`);
  const planes = resample(picture, width, height);
  const size = height * width;
  const scale = type === 'float32' ? 255 : 1;
  const data = type === 'float32' ? new Float32Array(3 * size) : new Uint8Array(3 * size);
  for (let i = 0; i < 3 * size; i++) {
    const from = channelsLast ? (i % 3) * size + Math.floor(i / 3) : i;
    data[i] = type === 'float32' ? (planes[from] ?? 0) / scale : Math.round(planes[from] ?? 0);
  }
  return { type, dims: channelsLast ? [1, height, width, 3] : [1, 3, height, width], data };
}
