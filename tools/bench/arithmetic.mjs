// @ts-check
// How much arithmetic a model's run is: the multiply-adds of its convolutions, matrix products and recurrent layers
// as the model states them (a convolution counts as a direct one), and the bytes of the constants these read. Extents
// come from one run on onnxruntime-web in this process with every value of the main graph as an output, so that what
// is counted does not depend on the engine that is measured. Nodes in branches and loops are not seen.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { onnxruntimeWeb } from '../../tests/parity/engines.mjs';
import { withEveryOutput } from '../../tests/parity/intermediates.mjs';
import { root } from '../setup/machine.mjs';
import { readModel } from '../zoo/onnx_wire.mjs';

/** @typedef {import('../zoo/onnx_wire.mjs').Graph} Graph */
/** @typedef {{ multiplyAdds: number, weightBytes: number }} Arithmetic */

const folder = `${root}/.cache/bench`;
/** Raise it when the counting below changes. */
const kVersion = 1;

/** @param {readonly number[]} dims */
const size = (dims) => dims.reduce((a, b) => a * b, 1);

/**
 * Multiply-adds of one node from the dims of its operands x, w, r and of its result y. A convolution's filter is
 * [out, in / groups, …], a transposed one's [in, out / groups, …]; recurrent weights are [directions, gates * hidden,
 * input or hidden], applied in each of x's steps and batches.
 * @type {Record<string, (dims: { x: number[], w: number[], r: number[], y: number[] }, transA: boolean) => number>}
 */
const counts = {
  Conv: ({ w, y }) => size(y) * size(w.slice(1)),
  ConvTranspose: ({ x, w }) => size(x) * size(w.slice(1)),
  MatMul: ({ x, y }) => size(y) * (x.at(-1) ?? 1),
  Gemm: ({ x, y }, transA) => size(y) * (transA ? x[0] : x[1]),
  LSTM: ({ x, w, r }) => x[0] * x[1] * (size(w) + size(r)),
  GRU: ({ x, w, r }) => x[0] * x[1] * (size(w) + size(r)),
  RNN: ({ x, w, r }) => x[0] * x[1] * (size(w) + size(r)),
};

/**
 * @param {Graph} graph
 * @param {ReadonlyMap<string, readonly number[]>} dims of every value that is no initializer
 * @returns {Arithmetic}
 */
export function count(graph, dims) {
  const constants = new Map(graph.initializers.map((tensor) => [tensor.name, tensor]));
  /** @param {string | undefined} name */
  const dimsOf = (name = '') => [...(constants.get(name)?.dims ?? dims.get(name) ?? [])];
  const read = new Set();
  let multiplyAdds = 0;
  for (const { op, inputs, outputs, attributes } of graph.nodes) {
    if (!Object.hasOwn(counts, op)) continue;
    const [x, w, r] = [0, 1, 2].map((i) => dimsOf(inputs[i]));
    const transA = attributes.some(({ name, value }) => name === 'transA' && value === 1);
    multiplyAdds += counts[op]({ x, w, r, y: dimsOf(outputs[0]) }, transA);
    for (const name of inputs) if (constants.has(name)) read.add(name);
  }
  const weightBytes = [...read].reduce((sum, name) => sum + (constants.get(name)?.bytes ?? 0), 0);
  return { multiplyAdds, weightBytes };
}

/**
 * Counted once for a model and its inputs' extents, then remembered in .cache/bench.
 * @param {import('./models.mjs').Model} model
 * @param {Record<string, import('../../tests/parity/inputs.mjs').Tensor>} feeds
 * @returns {Promise<Arithmetic>}
 */
export async function arithmeticOf({ path }, feeds) {
  const bytes = readFileSync(path);
  const extents = Object.entries(feeds).map(([name, { dims }]) => [name, ...dims]);
  const key = createHash('sha256')
    .update(bytes)
    .update(JSON.stringify([kVersion, extents]))
    .digest('hex');
  const file = `${folder}/${key}.json`;
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const peer = await onnxruntimeWeb();
  const model = await peer.load(withEveryOutput(bytes).bytes);
  const values = { ...feeds, ...(await model.run(feeds)) };
  await model.dispose();
  const dims = new Map(Object.entries(values).map(([name, value]) => [name, value.dims]));
  const arithmetic = count(readModel(bytes).graph, dims);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(arithmetic));
  return arithmetic;
}
