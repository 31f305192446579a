// The two networks of PP-OCRv4 behind what they do: find places of text in a picture, read lines. They may live in one
// engine, in a page or in Node.

import type { Model, Tensor } from 'fuselane';
import { boxesIn } from './boxes.js';
import { decodeText, type ReadText } from './ctc.js';
import type { Picture } from './picture.js';
import type { Quad } from './quad.js';
import { detectionTensor, lineWidth, recognitionTensor, type FloatTensor } from './tensors.js';

/** Takes the time of one stage of the work. */
export type Watch = (stage: Stage, milliseconds: number) => void;
export const stages = ['prepare', 'detect', 'boxes', 'crop', 'recognize', 'text'] as const;
export type Stage = (typeof stages)[number];

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly watch?: Watch | undefined;
}

export async function timed<T>(
  stage: Stage,
  watch: Watch | undefined,
  work: () => T | Promise<T>,
): Promise<T> {
  const start = performance.now();
  const result = await work();
  watch?.(stage, performance.now() - start);
  return result;
}

/** The places of text in a picture, in its pixels, in no order. */
export async function findText(
  model: Model,
  picture: Picture,
  { signal, watch }: ReadOptions,
): Promise<Quad[]> {
  const input = await timed('prepare', watch, () => detectionTensor(picture));
  const map = await timed('detect', watch, () => runOn(model, input, signal));
  return timed('boxes', watch, () => {
    const [, , height = 0, width = 0] = map.dims;
    const [scaleX, scaleY] = [picture.width / width, picture.height / height];
    const quads = boxesIn({ data: map.data, width, height });
    return quads.map((quad) => quad.map(([x, y]) => [x * scaleX, y * scaleY]) as unknown as Quad);
  });
}

/** Widths are rounded up to this: fewer shapes, each of which is planned once. */
const kWidthStep = 64;
/** Lines that are read at once, when they take the same width. */
const kBatch = 8;

/**
 * Reads pictures of one line each, those of like width together; `onRead` is told of each line as soon as it is read, by its place in the list.
 */
export async function readLines(
  model: Model,
  alphabet: readonly string[],
  lines: readonly Picture[],
  { signal, watch }: ReadOptions,
  onRead: (line: number, read: ReadText) => void,
): Promise<void> {
  for (const { columns, members } of batches(lines)) {
    const input = await timed('crop', watch, () =>
      recognitionTensor(
        members.map(({ picture }) => picture),
        columns,
      ),
    );
    const scores = await timed('recognize', watch, () => runOn(model, input, signal));
    const texts = await timed('text', watch, () => decodeText(scores.data, scores.dims, alphabet));
    for (const [i, { line }] of members.entries()) onRead(line, texts[i] ?? { text: '', confidence: 0 });
  }
}

interface Batch {
  readonly columns: number;
  readonly members: { readonly line: number; readonly picture: Picture }[];
}

/** By the first line in each, so that a page is read from the top. */
function batches(lines: readonly Picture[]): Batch[] {
  const all: Batch[] = [];
  for (const [line, picture] of lines.entries()) {
    const columns = Math.ceil(lineWidth(picture) / kWidthStep) * kWidthStep;
    let batch = all.find((other) => other.columns === columns && other.members.length < kBatch);
    if (!batch) all.push((batch = { columns, members: [] }));
    batch.members.push({ line, picture });
  }
  return all;
}

interface Floats {
  readonly dims: Tensor['dims'];
  readonly data: Float32Array;
}

async function runOn(model: Model, tensor: FloatTensor, signal: AbortSignal | undefined): Promise<Floats> {
  const [input, output] = [model.inputs[0], model.outputs[0]];
  if (!input || !output) throw new Error('the network has no input or no output');
  const results = await model.run({ [input.name]: tensor }, signal && { signal });
  const result = results[output.name];
  if (!(result?.data instanceof Float32Array)) throw new Error('the network gives no float32');
  return { dims: result.dims, data: result.data };
}
