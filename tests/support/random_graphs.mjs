// @ts-check
// Random ONNX networks of a dozen operators or two over images or rows of tokens, with branches that meet again: what
// fusion, views, layouts and stages have to do with. Numbers stay near one, so that errors do not grow from node to node.

import { random } from '../parity/random.mjs';
import { onnxModel } from './onnx_writer.mjs';

/**
 * @typedef {import('./onnx_writer.mjs').Node} Node
 * @typedef {{ name: string, dims: number[] }} Value
 * @typedef {{ type: 'float32', dims: number[], data: Float32Array }} Feed
 * @typedef {{ text: string, bytes: Buffer, feeds: Record<string, Feed> }} Graph
 */

const kChannels = [1, 3, 4, 6, 8, 12, 16];
const kExtents = [1, 2, 5, 7, 8, 12];
const kFunctions = ['Relu', 'Sigmoid', 'Tanh', 'HardSwish', 'Abs', 'Neg', 'Erf', 'Identity'];
const kReductions = ['ReduceMean', 'ReduceMax', 'ReduceMin'];
/** Of values that are alive: more would be mostly dead ends. */
const kOutputs = 3;

/** @param {readonly number[]} dims */
const count = (dims) => dims.reduce((a, b) => a * b, 1);

class Network {
  /** @param {number} seed */
  constructor(seed) {
    /** @type {import('../parity/random.mjs').Random} */
    this.random = random(seed);
    /** @type {Node[]} */
    this.nodes = [];
    /** @type {(Value & { data: Float32Array | BigInt64Array, type?: 'int64' })[]} */
    this.constants = [];
    /** @type {Value[]} what has been made, the feeds first */
    this.values = [];
    this.isImage = this.oneIn(2);
    const dims = this.isImage
      ? [this.one([1, 2]), this.one(kChannels), this.one(kExtents), this.one(kExtents)]
      : [this.one([1, 3]), this.one(kExtents), this.one(kChannels)];
    this.values.push({ name: 'x', dims });
    if (this.oneIn(3)) this.values.push({ name: 'z', dims });
    this.inputs = [...this.values];
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  one(list) {
    return list[this.random.below(list.length)];
  }

  /** @param {number} n */
  oneIn(n) {
    return this.random.below(n) === 0;
  }

  /** @param {number} low @param {number} high both included */
  between(low, high) {
    return low + this.random.below(high - low + 1);
  }

  /** One of the values, a late one more likely. @param {(value: Value) => boolean} [fits] */
  value(fits = () => true) {
    const some = this.values.filter(fits);
    return some[some.length - 1 - Math.floor(this.random.uniform() ** 2 * some.length)];
  }

  /** @param {number[]} dims @param {number} scale */
  weights(dims, scale) {
    const name = `w${this.constants.length}`;
    const data = Float32Array.from({ length: count(dims) }, () => this.random.normal() * scale);
    this.constants.push({ name, dims, data });
    return name;
  }

  /** @param {number[]} list */
  integers(list) {
    const name = `w${this.constants.length}`;
    const data = BigInt64Array.from(list, BigInt);
    this.constants.push({ name, type: 'int64', dims: [list.length], data });
    return name;
  }

  /** @param {number} value */
  scalar(value) {
    const name = `w${this.constants.length}`;
    this.constants.push({ name, dims: [], data: Float32Array.of(value) });
    return name;
  }

  /**
   * @param {string} op @param {(Value | string)[]} inputs @param {number[][]} dims of its outputs
   * @param {Node['attributes']} [attributes]
   */
  nodeOf(op, inputs, dims, attributes = {}) {
    const outputs = dims.map((each, i) => ({ name: `v${this.nodes.length}_${i}`, dims: each }));
    this.nodes.push({
      op,
      inputs: inputs.map((input) => (typeof input === 'string' ? input : input.name)),
      outputs: outputs.map(({ name }) => name),
      attributes,
    });
    return outputs;
  }

  /** @param {string} op @param {(Value | string)[]} inputs @param {number[]} dims @param {Node['attributes']} [attributes] */
  node(op, inputs, dims, attributes) {
    return this.nodeOf(op, inputs, [dims], attributes)[0];
  }

  /** @param {Value} x */
  function(x) {
    return this.node(this.one(kFunctions), [x], x.dims);
  }

  /** Of two values of equal dims, or with a constant along the channels, a scalar, or a gate of one number a channel. */
  binary() {
    const x = this.value();
    const op = this.one(['Add', 'Add', 'Sub', 'Mul', 'Max', 'Min']);
    const channel = x.dims.map((extent, i) =>
      i === (x.dims.length === 4 ? 1 : x.dims.length - 1) ? extent : 1,
    );
    const others = this.values.filter(
      ({ dims }) =>
        dims.length === x.dims.length && dims.every((extent, i) => extent === x.dims[i] || extent === 1),
    );
    const y = this.one([
      () => this.one(others),
      () => this.one(others),
      () => this.weights(channel, 1),
      () => this.scalar(this.one([0.5, -1, 2])),
    ])();
    return this.oneIn(4) ? this.node(op, [y, x], x.dims) : this.node(op, [x, y], x.dims);
  }

  /** gelu, silu or hard-swish, as exporters write them. @param {Value} x */
  gate(x) {
    const by = (/** @type {string} */ op, /** @type {(Value | string)[]} */ inputs) =>
      this.node(op, inputs, x.dims);
    if (this.oneIn(2)) return by('Mul', [x, by('Sigmoid', [x])]);
    const erf = by('Erf', [by('Div', [x, this.scalar(Math.SQRT2)])]);
    return by('Mul', [by('Mul', [x, by('Add', [erf, this.scalar(1)])]), this.scalar(0.5)]);
  }

  /** Over the last axis, as many nodes. @param {Value} x */
  normalization(x) {
    const one = [...x.dims.slice(0, -1), 1];
    const mean = (/** @type {Value} */ of) =>
      this.node('ReduceMean', [of], one, { axes: { integers: [-1] } });
    const centred = this.node('Sub', [x, mean(x)], x.dims);
    const variance = mean(this.node('Mul', [centred, centred], x.dims));
    const deviation = this.node('Sqrt', [this.node('Add', [variance, this.scalar(0.01)], one)], one);
    const scaled = this.node('Div', [centred, deviation], x.dims);
    return this.node('Mul', [scaled, this.weights([x.dims[x.dims.length - 1]], 1)], x.dims);
  }

  convolution() {
    const x = this.value(({ dims }) => dims.length === 4);
    const [n, c, h, w] = x.dims;
    const groups = this.one([1, 1, 1, c, c % 2 === 0 ? 2 : 1]);
    const features = groups === 1 ? this.one(kChannels) : groups * this.one([1, 2]);
    const kernel = this.one([1, 1, 3, 3, 3, 5]);
    const stride = this.one([1, 1, 1, 2]);
    const dilation = kernel > 1 ? this.one([1, 1, 2]) : 1;
    const reach = (kernel - 1) * dilation;
    const pad = this.oneIn(4) ? Math.ceil(reach / 2) + 1 : Math.ceil(reach / 2);
    const extent = (/** @type {number} */ of) => Math.floor((of + 2 * pad - reach - 1) / stride) + 1;
    const weights = this.weights(
      [features, c / groups, kernel, kernel],
      1 / Math.sqrt((c / groups) * kernel ** 2),
    );
    const y = this.node(
      'Conv',
      [x, weights, ...(this.oneIn(2) ? [this.weights([features], 0.5)] : [])],
      [n, features, extent(h), extent(w)],
      {
        kernel_shape: { integers: [kernel, kernel] },
        strides: { integers: [stride, stride] },
        dilations: { integers: [dilation, dilation] },
        pads: { integers: [pad, pad, pad, pad] },
        group: { integer: groups },
      },
    );
    return this.oneIn(2) ? this.function(y) : y;
  }

  pool() {
    const x = this.value(({ dims }) => dims.length === 4);
    const [n, c, h, w] = x.dims;
    if (this.oneIn(4)) return this.node('GlobalAveragePool', [x], [n, c, 1, 1]);
    return this.node(this.one(['MaxPool', 'AveragePool']), [x], [n, c, h, w], {
      kernel_shape: { integers: [3, 3] },
      pads: { integers: [1, 1, 1, 1] },
    });
  }

  product() {
    const x = this.value();
    const depth = x.dims[x.dims.length - 1];
    const columns = this.one(kChannels);
    const weights = this.weights([depth, columns], 1 / Math.sqrt(depth));
    const y = this.node('MatMul', [x, weights], [...x.dims.slice(0, -1), columns]);
    return this.oneIn(2) ? this.node('Add', [y, this.weights([columns], 0.5)], y.dims) : y;
  }

  /** Softmax(x x^T / depth) x, as attention. */
  attention() {
    const x = this.value(({ dims }) => dims.length >= 3);
    const [rows, depth] = x.dims.slice(-2);
    const swapped = x.dims.map((_, i) => i);
    swapped.splice(-2, 2, x.dims.length - 1, x.dims.length - 2);
    const keys = this.node(
      'Transpose',
      [x],
      swapped.map((i) => x.dims[i]),
      { perm: { integers: swapped } },
    );
    const square = [...x.dims.slice(0, -1), rows];
    const scores = this.node('Mul', [this.node('MatMul', [x, keys], square), this.scalar(1 / depth)], square);
    return this.node('MatMul', [this.node('Softmax', [scores], square), x], x.dims);
  }

  /** @param {Value} x */
  transpose(x) {
    const perm = x.dims.map((_, i) => i).sort(() => this.random.uniform() - 0.5);
    return this.node(
      'Transpose',
      [x],
      perm.map((i) => x.dims[i]),
      { perm: { integers: perm } },
    );
  }

  /** To 3 or 4 axes. @param {Value} x */
  reshape(x) {
    const [first, ...rest] = x.dims;
    const inner = count(rest);
    const divisors = Array.from({ length: inner }, (_, i) => i + 1).filter((i) => inner % i === 0);
    const a = this.one(divisors);
    const b = this.one(divisors.filter((i) => (inner / a) % i === 0));
    const dims = this.oneIn(2) ? [first, a, inner / a] : [first, a, b, inner / a / b];
    return this.node('Reshape', [x, this.integers(dims)], dims);
  }

  /** @param {Value} x */
  slice(x) {
    const axis = this.random.below(x.dims.length);
    const start = this.random.below(x.dims[axis]);
    const end = this.between(start + 1, x.dims[axis]);
    const dims = x.dims.map((extent, i) => (i === axis ? end - start : extent));
    return this.node('Slice', [x, this.integers([start]), this.integers([end]), this.integers([axis])], dims);
  }

  /** All parts of a value, each of which goes its own way, or one does. */
  split() {
    const x = this.value();
    const axis = this.random.below(x.dims.length);
    if (x.dims[axis] < 2) return this.slice(x);
    const first = this.between(1, x.dims[axis] - 1);
    const parts = [first, x.dims[axis] - first];
    const dims = parts.map((part) => x.dims.map((extent, i) => (i === axis ? part : extent)));
    const outputs = this.nodeOf('Split', [x, this.integers(parts)], dims, { axis: { integer: axis } });
    this.values.push(outputs[0]);
    return outputs[1];
  }

  concat() {
    const x = this.value();
    const axis = this.random.below(x.dims.length);
    const fitting = this.values.filter(
      ({ dims }) =>
        dims.length === x.dims.length && dims.every((extent, i) => i === axis || extent === x.dims[i]),
    );
    const parts = Array.from({ length: this.between(2, 3) }, () => this.one(fitting));
    const dims = x.dims.map((extent, i) =>
      i === axis ? parts.reduce((sum, part) => sum + part.dims[axis], 0) : extent,
    );
    return this.node('Concat', parts, dims, { axis: { integer: axis } });
  }

  /** @param {Value} x */
  reduction(x) {
    const axis = this.random.below(x.dims.length);
    const keeps = this.oneIn(2) || x.dims.length < 3;
    const dims = x.dims.flatMap((extent, i) => (i !== axis ? [extent] : keeps ? [1] : []));
    return this.node(this.one(kReductions), [x], dims, {
      axes: { integers: [axis] },
      keepdims: { integer: keeps ? 1 : 0 },
    });
  }

  /** @param {Value} x */
  softmax(x) {
    return this.node('Softmax', [x], x.dims, { axis: { integer: this.random.below(x.dims.length) } });
  }

  /** @param {Value} x */
  pad(x) {
    const pads = Array.from({ length: 2 * x.dims.length }, () => this.random.below(2));
    const dims = x.dims.map((extent, i) => extent + pads[i] + pads[x.dims.length + i]);
    return this.node('Pad', [x, this.integers(pads)], dims);
  }

  grow() {
    const hasImage = this.values.some(({ dims }) => dims.length === 4);
    const kinds = [
      () => this.binary(),
      () => this.binary(),
      () => this.function(this.value()),
      () => this.gate(this.value()),
      () => this.normalization(this.value()),
      () => this.product(),
      () => this.attention(),
      () => this.transpose(this.value()),
      () => this.reshape(this.value()),
      () => this.slice(this.value()),
      () => this.split(),
      () => this.concat(),
      () => this.concat(),
      () => this.reduction(this.value()),
      () => this.softmax(this.value()),
      () => this.pad(this.value()),
      ...(hasImage
        ? [() => this.convolution(), () => this.convolution(), () => this.convolution(), () => this.pool()]
        : []),
    ];
    this.values.push(this.one(kinds)());
  }
}

/** @param {number} seed @returns {Graph} */
export function randomGraph(seed) {
  const net = new Network(seed);
  const kinds = net.between(6, 18);
  for (let i = 0; i < kinds; i++) {
    net.grow();
    // What has grown too large, or to too many axes, is left alone.
    net.values = net.values.filter(
      ({ dims }) => count(dims) <= 30_000 && dims.length >= 2 && dims.length <= 4,
    );
  }
  const made = net.values.filter(({ name }) => name.startsWith('v'));
  const outputs = [
    ...new Set([...made.slice(-1), ...Array.from({ length: kOutputs - 1 }, () => net.one(made))]),
  ].filter(Boolean);
  /** @type {Record<string, Feed>} */
  const feeds = {};
  for (const { name, dims } of net.inputs)
    feeds[name] = {
      type: 'float32',
      dims,
      data: Float32Array.from({ length: count(dims) }, () => net.random.normal()),
    };
  const lines = net.nodes.map(
    ({ op, inputs, outputs: results, attributes }) =>
      `${results.join(', ')} = ${op}(${inputs.join(', ')}) ${JSON.stringify(attributes)}`,
  );
  const shapes = [...net.inputs, ...net.constants].map(({ name, dims }) => `${name}: [${dims.join(', ')}]`);
  return {
    text: [...shapes, ...lines, `outputs ${outputs.map(({ name }) => name).join(', ')}`].join('\n'),
    bytes: onnxModel({ inputs: net.inputs, outputs, nodes: net.nodes, constants: net.constants }),
    feeds,
  };
}
