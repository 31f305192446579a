// @ts-check
// Writes small ONNX files for tests. Field numbers are those of onnx.proto3.

import { lengthDelimited } from '../../tools/zoo/onnx_wire.mjs';

/** Numbers of TensorProto.DataType. */
const numbers = { float32: 1, int32: 6, int64: 7, float16: 10 };
/** @typedef {keyof typeof numbers} Type */
/** @typedef {{ name: string, type?: Type, dims: (number | string)[] }} Port */
/** @typedef {{ float: number } | { integer: number } | { integers: number[] }} Attribute */
/** @typedef {{ op: string, inputs: string[], outputs: string[], name?: string, attributes?: Record<string, Attribute> }} Node */
/** @typedef {Float32Array | Int32Array | BigInt64Array | Uint16Array} Data float16 by its bits */
/** @typedef {{ name: string, type?: Type, dims: number[], data: Data }} Constant */

/** @param {number} field @param {string} value */
const text = (field, value) => lengthDelimited(field, Buffer.from(value));

/** Of 64 bits where it is negative. @param {number} value */
function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

/** A varint field. @param {number} field @param {number} value */
const integer = (field, value) => Buffer.from([...varint(field << 3), ...varint(value)]);

/** With its AttributeProto.AttributeType. @param {string} name @param {Attribute} value */
function attribute(name, value) {
  if ('integer' in value) return Buffer.concat([text(1, name), integer(3, value.integer), integer(20, 2)]);
  if ('integers' in value)
    return Buffer.concat([text(1, name), ...value.integers.map((one) => integer(8, one)), integer(20, 7)]);
  const float = Buffer.alloc(5, (2 << 3) | 5);
  float.writeFloatLE(value.float, 1);
  return Buffer.concat([text(1, name), float, integer(20, 1)]);
}

/** @param {Port} port */
function port({ name, type = 'float32', dims }) {
  const shape = dims.map((dim) =>
    lengthDelimited(1, typeof dim === 'number' ? integer(1, dim) : text(2, dim)),
  );
  const tensor = Buffer.concat([integer(1, numbers[type]), lengthDelimited(2, Buffer.concat(shape))]);
  return Buffer.concat([text(1, name), lengthDelimited(2, lengthDelimited(1, tensor))]);
}

/** @param {Node} node */
function node({ op, inputs, outputs, name = '', attributes = {} }) {
  return Buffer.concat([
    ...inputs.map((value) => text(1, value)),
    ...outputs.map((value) => text(2, value)),
    text(3, name),
    text(4, op),
    ...Object.entries(attributes).map(([key, value]) => lengthDelimited(5, attribute(key, value))),
  ]);
}

/** @param {Constant} constant */
function tensor({ name, type = 'float32', dims, data }) {
  return Buffer.concat([
    ...dims.map((dim) => integer(1, dim)),
    integer(2, numbers[type]),
    text(8, name),
    lengthDelimited(9, Buffer.from(data.buffer, data.byteOffset, data.byteLength)),
  ]);
}

/**
 * The bytes of a model of opset 17.
 * @param {{ inputs: Port[], outputs: Port[], nodes: Node[], constants?: Constant[] }} model
 */
export function onnxModel({ inputs, outputs, nodes, constants = [] }) {
  const graph = Buffer.concat([
    ...nodes.map((value) => lengthDelimited(1, node(value))),
    text(2, 'test'),
    ...constants.map((value) => lengthDelimited(5, tensor(value))),
    ...inputs.map((value) => lengthDelimited(11, port(value))),
    ...outputs.map((value) => lengthDelimited(12, port(value))),
  ]);
  return Buffer.concat([integer(1, 8), lengthDelimited(7, graph), lengthDelimited(8, integer(2, 17))]);
}

/** y = x + x, z = relu(x), of [1, n]. */
export const tinyModel = () =>
  onnxModel({
    inputs: [{ name: 'x', dims: [1, 'n'] }],
    outputs: [
      { name: 'y', dims: [1, 'n'] },
      { name: 'z', dims: [1, 'n'] },
    ],
    nodes: [
      { op: 'Add', inputs: ['x', 'x'], outputs: ['y'], name: 'double' },
      { op: 'Relu', inputs: ['x'], outputs: ['z'], name: 'positive' },
    ],
  });

/** A product of [m, m] repeated `layers` times: long enough to be cancelled. @param {number} layers */
export const slowModel = (layers) =>
  onnxModel({
    inputs: [{ name: 'x', dims: ['m', 'm'] }],
    outputs: [{ name: `v${layers}`, dims: ['m', 'm'] }],
    nodes: Array.from({ length: layers }, (_, i) => ({
      op: 'MatMul',
      inputs: [i ? `v${i}` : 'x', 'x'],
      outputs: [`v${i + 1}`],
    })),
  });
