// @ts-check
// Random ONNX models of one operator, or of two, with feeds: products, reductions, functions of elements with
// broadcasting, at odd sizes, on numbers with special ones among them.

import { random } from '../parity/random.mjs';
import { onnxModel } from './onnx_writer.mjs';

/**
 * @typedef {import('./onnx_writer.mjs').Type} Type
 * @typedef {import('./onnx_writer.mjs').Data} Data
 * @typedef {import('./onnx_writer.mjs').Node} Node
 * @typedef {{ type: Type, dims: number[], data: Data }} Tensor
 * @typedef {{ text: string, bytes: Buffer, feeds: Record<string, Tensor> }} Model
 */

const kExtents = [1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 67];
/** Of them sums do not depend on the order in which they are taken. */
const kSpecials = [NaN, Infinity, -Infinity, 0, -0, 1e-40];
const kHuge = [3e38, -3e38, 1e20, 88.5, -103.5, 2 ** 31];

const kBinary = ['Add', 'Sub', 'Mul', 'Div', 'Min', 'Max', 'PRelu', 'Pow'];
const kBinaryOfIntegers = ['Add', 'Sub', 'Mul', 'Min', 'Max'];
const kUnary = ['Abs', 'Neg', 'Floor', 'Ceil', 'Sqrt', 'Exp', 'Log', 'Erf'];
const kActivations = ['Relu', 'LeakyRelu', 'HardSigmoid', 'HardSwish', 'Sigmoid', 'Tanh', 'Clip'];
const kReductions = ['ReduceSum', 'ReduceMean', 'ReduceMax', 'ReduceMin', 'ReduceL2'];

/** @param {readonly number[]} dims */
const count = (dims) => dims.reduce((a, b) => a * b, 1);

class Maker {
  /** @param {number} seed @param {Type} type of all operands */
  constructor(seed, type) {
    this.random = random(seed);
    this.type = type;
    /** @type {Node[]} */
    this.nodes = [];
    /** @type {(Tensor & { name: string })[]} */
    this.inputs = [];
    /** @type {(Tensor & { name: string })[]} */
    this.constants = [];
    /** How rare a special number is, and which there are. */
    this.rarity = this.one([3, 30, 300]);
    this.specials = [this.one(kSpecials), this.one(kSpecials)];
    this.deviation = 2;
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  one(list) {
    return list[this.random.below(list.length)];
  }

  /** @param {number} n */
  oneIn(n) {
    return this.random.below(n) === 0;
  }

  /** @param {number} most */
  extent(most) {
    return this.one(kExtents.filter((extent) => extent <= most));
  }

  /** @param {number} rank @param {number} most */
  dims(rank, most) {
    return Array.from({ length: rank }, () => this.extent(most));
  }

  number() {
    if (this.oneIn(this.rarity)) return this.one(this.specials);
    return this.deviation * this.random.normal();
  }

  /** @param {number} length @returns {Data} */
  elements(length) {
    const { below } = this.random;
    if (this.type === 'float32') return Float32Array.from({ length }, () => this.number());
    if (this.type === 'int32') return Int32Array.from({ length }, () => below(2 ** 31) - 2 ** 30);
    if (this.type === 'int64') return BigInt64Array.from({ length }, () => BigInt(below(2 ** 50)) * 8191n);
    // Halves between 1/8 and 8, of either sign.
    return Uint16Array.from({ length }, () => (below(2) << 15) | (below(6 * 1024) + 12 * 1024));
  }

  /** An operand, fed or constant: its name. @param {number[]} dims @param {boolean} [isConstant] */
  operand(dims, isConstant = this.oneIn(3)) {
    const list = isConstant && this.inputs.length > 0 ? this.constants : this.inputs;
    const name = `x${this.inputs.length + this.constants.length}`;
    list.push({ name, type: this.type, dims, data: this.elements(count(dims)) });
    return name;
  }

  /** A constant list of numbers. @param {number[]} list */
  integers(list) {
    const name = `x${this.inputs.length + this.constants.length}`;
    const data = BigInt64Array.from(list, BigInt);
    this.constants.push({ name, type: 'int64', dims: [list.length], data });
    return name;
  }

  /** A constant scalar. @param {number} value */
  scalar(value) {
    const name = `x${this.inputs.length + this.constants.length}`;
    this.constants.push({ name, type: 'float32', dims: [], data: Float32Array.of(value) });
    return name;
  }

  /** @param {string} op @param {string[]} inputs @param {Node['attributes']} [attributes] */
  node(op, inputs, attributes = {}) {
    const output = `y${this.nodes.length}`;
    this.nodes.push({ op, inputs, outputs: [output], attributes });
    return output;
  }

  /** Dims that broadcast to these: some are 1, some at the begin left out. @param {readonly number[]} dims */
  broadcast(dims) {
    const from = this.oneIn(2) ? 0 : this.random.below(dims.length + 1);
    return dims.slice(from).map((extent) => (this.oneIn(3) ? 1 : extent));
  }

  /** A function of the elements of `x`. @param {string} x @param {readonly string[]} ops */
  unary(x, ops) {
    const op = this.one(ops);
    const quarter = () => ({ float: (this.random.below(16) - 8) / 4 });
    if (op === 'LeakyRelu') return this.node(op, [x], { alpha: quarter() });
    if (op === 'HardSigmoid') return this.node(op, [x], { alpha: quarter(), beta: quarter() });
    if (op !== 'Clip') return this.node(op, [x]);
    // Bounds may be absent, and may cross.
    const bound = () => (this.oneIn(3) ? '' : this.scalar(this.random.below(8) - 4));
    return this.node(op, [x, bound(), bound()]);
  }

  /** The model of what was made, with its last value as output. @param {number[]} dims its own @returns {Model} */
  model(dims) {
    const { nodes, inputs, constants, type } = this;
    const y = nodes[nodes.length - 1].outputs[0];
    const of = (/** @type {Node} */ { op, inputs: names, attributes }) =>
      `${op}(${names.join(', ')})${Object.keys(attributes ?? {}).length ? ` ${JSON.stringify(attributes)}` : ''}`;
    const described = [...inputs, ...constants].map((it) => `${it.name} [${it.dims.join(', ')}]`);
    return {
      text: `${nodes.map(of).join(', ')} of ${type}: ${described.join(', ')}; constant: ${constants.map(({ name }) => name).join(', ')}`,
      bytes: onnxModel({ inputs, outputs: [{ name: y, type, dims }], nodes, constants }),
      feeds: Object.fromEntries(inputs.map(({ name, ...tensor }) => [name, tensor])),
    };
  }
}

/** @param {Maker} m @returns {{ y: string, dims: number[] }} */
function matmul(m) {
  const [rows, depth, columns] = [m.extent(33), m.extent(67), m.extent(33)];
  const batches = m.dims(m.random.below(3), 3);
  const right = m.oneIn(2) ? [] : m.oneIn(2) ? batches : m.broadcast(batches);
  const y = m.node('MatMul', [
    m.operand([...batches, rows, depth]),
    m.operand([...right, depth, columns], m.oneIn(2)),
  ]);
  return { y, dims: [...batches, rows, columns] };
}

/** @param {Maker} m */
function gemm(m) {
  const [rows, depth, columns] = [m.extent(33), m.extent(67), m.extent(33)];
  const [transA, transB] = [m.oneIn(4), m.oneIn(2)];
  const operands = [
    m.operand(transA ? [depth, rows] : [rows, depth]),
    m.operand(transB ? [columns, depth] : [depth, columns], m.oneIn(2)),
  ];
  if (!m.oneIn(3))
    operands.push(m.operand(m.one([[columns], [1, columns], [rows, 1], [1], [rows, columns]])));
  const factor = () => (m.oneIn(4) ? { float: 0.5 } : { float: 1 });
  const y = m.node('Gemm', operands, {
    transA: { integer: Number(transA) },
    transB: { integer: Number(transB) },
    alpha: factor(),
    beta: factor(),
  });
  return { y, dims: [rows, columns] };
}

/** @param {Maker} m */
function conv(m) {
  // Some have a filter for each channel; others are 3x3 of stride 1 with enough channels and results for Winograd's
  // filtering, their sums of the order of 1, since errors are of that of the largest, also behind a function that makes
  // them small.
  const isDepthwise = m.oneIn(4);
  const isWide = !isDepthwise && m.oneIn(3);
  if (isWide) m.deviation = 0.3;
  const most = isWide ? 17 : 8;
  const [batch, height, width] = [m.extent(3), m.extent(most), m.extent(most)];
  const group = isDepthwise ? m.extent(17) : isWide ? 1 : m.one([1, 1, 1, 2]);
  const extent = () => (isDepthwise ? group : isWide ? m.one([28, 32, 36]) : group * m.extent(17));
  const [channels, results] = [extent(), extent()];
  const kernels = isDepthwise ? [1, 3, 3, 5, 7] : [1, 1, 2, 3];
  const axes = [height, width].map((extent) => {
    const [kernel, stride, dilation] = isWide ? [3, 1, 1] : [m.one(kernels), m.one([1, 1, 2]), m.one([1, 1, 2])]; // prettier-ignore
    const begin = m.one([0, 0, 1, 2]);
    const reach = (kernel - 1) * dilation + 1;
    const end = Math.max(m.one([0, 0, 1, 2]), reach - extent - begin);
    const result = Math.floor((extent + begin + end - reach) / stride) + 1;
    return { kernel, stride, dilation, begin, end, result };
  });
  // Infinite and huge numbers may become NaN: the reference leaves the padding out where products of windows multiply
  // by its zeros, and Winograd's filtering subtracts neighbours.
  if (!isDepthwise && axes.some(({ kernel, begin, end }) => begin + end > 0 || kernel === 3))
    m.specials = [0];
  const filter = [results, channels / group, ...axes.map(({ kernel }) => kernel)];
  const operands = [m.operand([batch, channels, height, width], false), m.operand(filter, true)];
  if (m.oneIn(2)) operands.push(m.operand([results], true));
  const y = m.node('Conv', operands, {
    strides: { integers: axes.map(({ stride }) => stride) },
    dilations: { integers: axes.map(({ dilation }) => dilation) },
    pads: { integers: [...axes.map(({ begin }) => begin), ...axes.map(({ end }) => end)] },
    group: { integer: group },
  });
  return { y, dims: [batch, results, ...axes.map(({ result }) => result)] };
}

/** Every other one makes each pixel of its result from one of x. @param {Maker} m */
function convTranspose(m) {
  const isApart = m.oneIn(2);
  const group = m.one([1, 1, 1, 2]);
  const [batch, channels, results] = [m.extent(3), group * m.extent(17), group * m.extent(17)];
  const [height, width] = m.dims(2, 8);
  const axes = [height, width].map((extent) => {
    const stride = m.one([1, 2, 2, 3]);
    const [kernel, dilation] = isApart ? [stride, 1] : [m.one([1, 2, 3]), m.one([1, 1, 2])];
    const all = (extent - 1) * stride + (kernel - 1) * dilation + 1;
    const [begin, end] = isApart || all < 3 ? [0, 0] : [m.one([0, 0, 1]), m.one([0, 0, 1])];
    return { kernel, stride, dilation, begin, end, result: all - begin - end };
  });
  // Infinite numbers become NaN where kernels multiply by the zeros around x.
  if (!isApart) m.specials = [0];
  const filter = [channels, results / group, ...axes.map(({ kernel }) => kernel)];
  const operands = [m.operand([batch, channels, height, width], false), m.operand(filter, true)];
  if (m.oneIn(2)) operands.push(m.operand([results], true));
  const y = m.node('ConvTranspose', operands, {
    strides: { integers: axes.map(({ stride }) => stride) },
    dilations: { integers: axes.map(({ dilation }) => dilation) },
    pads: { integers: [...axes.map(({ begin }) => begin), ...axes.map(({ end }) => end)] },
    group: { integer: group },
  });
  return { y, dims: [batch, results, ...axes.map(({ result }) => result)] };
}

/** @param {Maker} m */
function reduce(m) {
  const dims = m.dims(1 + m.random.below(4), 17);
  const axes = dims.map((_, axis) => axis).filter(() => m.oneIn(2));
  const keeps = m.oneIn(2);
  const op = m.one(m.type === 'float32' ? kReductions : ['ReduceSum', 'ReduceMax', 'ReduceMin']);
  const x = m.operand(dims);
  /** @type {NonNullable<Node['attributes']>} */
  const attributes = { keepdims: { integer: Number(keeps) } };
  const inputs = [x];
  const some = m.oneIn(4) ? axes.map((axis) => axis - dims.length) : axes;
  if (op === 'ReduceSum' && some.length > 0) inputs.push(m.integers(some));
  else if (some.length > 0) attributes.axes = { integers: some };
  const gone = axes.length > 0 ? axes : dims.map((_, axis) => axis);
  const left = dims.map((extent, axis) => (gone.includes(axis) ? 1 : extent));
  const y = m.node(op, inputs, attributes);
  return { y, dims: keeps ? left : left.filter((_, axis) => !gone.includes(axis)) };
}

/** @param {Maker} m */
function elementwise(m) {
  if (m.type === 'float32') m.specials.push(m.one(kHuge));
  const dims = m.dims(1 + m.random.below(4), 17);
  const ops = m.type === 'float32' || m.type === 'float16' ? kBinary : kBinaryOfIntegers;
  const op = m.one(ops);
  const [a, b] = m.oneIn(2) ? [dims, m.broadcast(dims)] : [m.broadcast(dims), dims];
  const operands =
    op === 'PRelu' ? [m.operand(dims), m.operand(m.broadcast(dims))] : [m.operand(a), m.operand(b)];
  return { y: m.node(op, operands), dims };
}

/** @param {Maker} m */
function unary(m) {
  m.specials.push(m.one(kHuge));
  const dims = m.dims(1 + m.random.below(4), 17);
  return { y: m.unary(m.operand(dims), [...kUnary, ...kActivations]), dims };
}

const kFloatKinds = [
  matmul,
  matmul,
  gemm,
  conv,
  convTranspose,
  reduce,
  reduce,
  elementwise,
  elementwise,
  unary,
];
const kOtherKinds = [matmul, reduce, elementwise];

/** @param {number} seed @returns {Model} */
export function randomModel(seed) {
  /** @type {Type} */
  const type =
    seed % 4 < 3 ? 'float32' : /** @type {const} */ (['int32', 'int64', 'float16'])[(seed >> 2) % 3];
  const m = new Maker(seed, type);
  const { y, dims } = m.one(type === 'float32' ? kFloatKinds : kOtherKinds)(m);
  // What follows does not make a rounding of a sum larger.
  if (type === 'float32' && m.oneIn(2)) {
    if (m.oneIn(2)) m.unary(y, kActivations);
    else m.node(m.one(['Add', 'Sub', 'Mul', 'Min', 'Max']), m.oneIn(2) ? [y, m.operand(m.broadcast(dims))] : [m.operand(m.broadcast(dims)), y]); // prettier-ignore
  }
  return m.model(dims);
}
