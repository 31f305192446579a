// @ts-check
// Reads ONNX files at the level of protobuf's wire format, for the tools and tests that look into a model without an
// engine. In: the bytes of a ModelProto. Out: plain objects with the fields the callers use; tensors' payloads stay in
// the file. Also writes messages, for rewriting a model's outputs.
// Field numbers are those of onnx.proto3 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3).

/** @typedef {{ field: number, wire: number, value: bigint, bytes: Uint8Array, start: number, end: number }} Field */

const kVarint = 0;
const kFixed64 = 1;
const kLengthDelimited = 2;
const kFixed32 = 5;

/** Names of TensorProto.DataType by number. */
export const dataTypes = [
  'undefined', 'float32', 'uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'string', 'bool', 'float16', 'float64',
  'uint32', 'uint64', 'complex64', 'complex128', 'bfloat16', 'float8e4m3fn', 'float8e4m3fnuz', 'float8e5m2',
  'float8e5m2fnuz', 'uint4', 'int4', 'float4e2m1',
]; // prettier-ignore

/**
 * The varint at `at` and where it ends.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {[bigint, number]}
 */
function varintAt(bytes, at) {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    if (at >= bytes.length) throw new Error(`the message ends inside a varint at byte ${at}`);
    const byte = bytes[at++];
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [BigInt.asUintN(64, value), at];
  }
  throw new Error(`a varint of more than 10 bytes ends at byte ${at}`);
}

/**
 * The fields of one message in the order of the file. `start` and `end` span the field with its tag; `bytes` is the
 * payload of a length-delimited or fixed field, `value` that of a varint.
 * @param {Uint8Array} message
 * @returns {Generator<Field>}
 */
export function* fields(message) {
  for (let at = 0; at < message.length;) {
    const start = at;
    /** @type {bigint} */
    let tag;
    [tag, at] = varintAt(message, at);
    const wire = Number(tag & 7n);
    let value = 0n;
    let length = 0n;
    if (wire === kVarint) [value, at] = varintAt(message, at);
    else if (wire === kLengthDelimited) [length, at] = varintAt(message, at);
    else if (wire === kFixed64) length = 8n;
    else if (wire === kFixed32) length = 4n;
    else throw new Error(`wire type ${wire} at byte ${start} is not one that protobuf uses today`);
    if (length > BigInt(message.length - at))
      throw new Error(`the field at byte ${start} ends beyond its message`);
    const bytes = message.subarray(at, at + Number(length));
    at += Number(length);
    yield { field: Number(tag >> 3n), wire, value, bytes, start, end: at };
  }
}

/** @param {Uint8Array} bytes */
const text = (bytes) => new TextDecoder().decode(bytes);

/** @param {bigint} value */
const signed = (value) => Number(BigInt.asIntN(64, value));

/**
 * A repeated integer field, packed or not.
 * @param {Field} field
 */
function integers(field) {
  if (field.wire === kVarint) return [signed(field.value)];
  const values = [];
  for (let at = 0; at < field.bytes.length;) {
    /** @type {bigint} */
    let value;
    [value, at] = varintAt(field.bytes, at);
    values.push(signed(value));
  }
  return values;
}

/** @param {Field} field */
function floats(field) {
  const view = new DataView(field.bytes.buffer, field.bytes.byteOffset, field.bytes.length);
  return Array.from({ length: field.bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

/**
 * @typedef {{ name: string, type: string, dims: number[], storage: string, bytes: number }} Tensor
 * @param {Uint8Array} message
 * @returns {Tensor}
 */
function tensor(message) {
  const result = {
    name: '',
    type: 'undefined',
    dims: /** @type {number[]} */ ([]),
    storage: 'none',
    bytes: 0,
  };
  const storages = new Map([
    [4, 'float_data'], [5, 'int32_data'], [6, 'string_data'], [7, 'int64_data'], [9, 'raw_data'], [10, 'double_data'],
    [11, 'uint64_data'], [13, 'external_data'],
  ]); // prettier-ignore
  for (const field of fields(message)) {
    if (field.field === 1) result.dims.push(...integers(field));
    if (field.field === 2) result.type = dataTypes[Number(field.value)] ?? `type ${field.value}`;
    if (field.field === 8) result.name = text(field.bytes);
    const storage = storages.get(field.field);
    if (storage === undefined) continue;
    result.storage = storage;
    result.bytes += field.bytes.length;
  }
  return result;
}

/**
 * @typedef {{ name: string, type: string, dims: (number | string)[] | null }} ValueInfo  dims is null without a shape
 * @param {Uint8Array} message
 * @returns {ValueInfo}
 */
function valueInfo(message) {
  /** @type {ValueInfo} */
  const result = { name: '', type: 'undefined', dims: null };
  for (const field of fields(message)) {
    if (field.field === 1) result.name = text(field.bytes);
    if (field.field !== 2) continue;
    for (const kind of fields(field.bytes)) {
      if (kind.field !== 1) result.type = `type kind ${kind.field}`;
      else for (const part of fields(kind.bytes)) tensorType(result, part);
    }
  }
  return result;
}

/**
 * @param {ValueInfo} result
 * @param {Field} part a field of TypeProto.Tensor
 */
function tensorType(result, part) {
  if (part.field === 1) result.type = dataTypes[Number(part.value)] ?? `type ${part.value}`;
  if (part.field !== 2) return;
  result.dims = [];
  for (const dim of fields(part.bytes)) {
    if (dim.field !== 1) continue;
    /** @type {number | string} */
    let extent = '?';
    for (const f of fields(dim.bytes)) {
      if (f.field === 1) extent = signed(f.value);
      if (f.field === 2) extent = text(f.bytes);
    }
    result.dims.push(extent);
  }
}

/**
 * @typedef {number | string | number[] | string[] | Tensor | Graph | Graph[]} AttributeValue
 * @typedef {{ name: string, value: AttributeValue }} Attribute
 * @param {Uint8Array} message
 * @returns {Attribute}
 */
function attribute(message) {
  let name = '';
  let type = 0;
  /** @type {{ one: AttributeValue | undefined, numbers: number[], strings: string[], graphs: Graph[] }} */
  const seen = { one: undefined, numbers: [], strings: [], graphs: [] };
  for (const field of fields(message)) {
    if (field.field === 1) name = text(field.bytes);
    else if (field.field === 2) seen.one = floats(field)[0];
    else if (field.field === 3) seen.one = signed(field.value);
    else if (field.field === 4) seen.one = text(field.bytes);
    else if (field.field === 5) seen.one = tensor(field.bytes);
    else if (field.field === 6) seen.one = graph(field.bytes);
    else if (field.field === 7) seen.numbers.push(...floats(field));
    else if (field.field === 8) seen.numbers.push(...integers(field));
    else if (field.field === 9) seen.strings.push(text(field.bytes));
    else if (field.field === 11) seen.graphs.push(graph(field.bytes));
    else if (field.field === 20) type = Number(field.value);
  }
  // proto3 leaves out zeros: an attribute of type INT (2), FLOAT (1) or STRING (3) without a payload is 0 or ''.
  if (seen.one === undefined && (type === 1 || type === 2)) seen.one = 0;
  if (seen.one === undefined && type === 3) seen.one = '';
  if (seen.one !== undefined) return { name, value: seen.one };
  if (seen.graphs.length) return { name, value: seen.graphs };
  return { name, value: seen.strings.length ? seen.strings : seen.numbers };
}

/**
 * @typedef {{ name: string, op: string, domain: string, inputs: string[], outputs: string[], attributes: Attribute[] }}
 *   Node
 * @param {Uint8Array} message
 * @returns {Node}
 */
function node(message) {
  /** @type {Node} */
  const result = { name: '', op: '', domain: '', inputs: [], outputs: [], attributes: [] };
  for (const field of fields(message)) {
    if (field.field === 1) result.inputs.push(text(field.bytes));
    if (field.field === 2) result.outputs.push(text(field.bytes));
    if (field.field === 3) result.name = text(field.bytes);
    if (field.field === 4) result.op = text(field.bytes);
    if (field.field === 5) result.attributes.push(attribute(field.bytes));
    if (field.field === 7) result.domain = text(field.bytes);
  }
  return result;
}

/**
 * @typedef {{ name: string, nodes: Node[], initializers: Tensor[], inputs: ValueInfo[], outputs: ValueInfo[],
 *   values: ValueInfo[] }} Graph
 * @param {Uint8Array} message
 * @returns {Graph}
 */
function graph(message) {
  /** @type {Graph} */
  const result = { name: '', nodes: [], initializers: [], inputs: [], outputs: [], values: [] };
  for (const field of fields(message)) {
    if (field.field === 1) result.nodes.push(node(field.bytes));
    if (field.field === 2) result.name = text(field.bytes);
    if (field.field === 5) result.initializers.push(tensor(field.bytes));
    if (field.field === 11) result.inputs.push(valueInfo(field.bytes));
    if (field.field === 12) result.outputs.push(valueInfo(field.bytes));
    if (field.field === 13) result.values.push(valueInfo(field.bytes));
  }
  return result;
}

/**
 * @typedef {{ irVersion: number, producer: string, opsets: { domain: string, version: number }[], graph: Graph,
 *   functions: number }} Model  inputs of the graph that initializers name are not inputs of the model
 * @param {Uint8Array} bytes
 * @returns {Model}
 */
export function readModel(bytes) {
  /** @type {Model | { graph: Graph | undefined }} */
  const result = { irVersion: 0, producer: '', opsets: [], graph: undefined, functions: 0 };
  const model = /** @type {Model} */ (result);
  for (const field of fields(bytes)) {
    if (field.field === 1) model.irVersion = Number(field.value);
    if (field.field === 2) model.producer = text(field.bytes);
    if (field.field === 7) model.graph = graph(field.bytes);
    if (field.field === 8) model.opsets.push(opset(field.bytes));
    if (field.field === 25) model.functions++;
  }
  if (model.graph === undefined) throw new Error('the file holds no graph: not an ONNX model');
  const constants = new Set(model.graph.initializers.map((t) => t.name));
  model.graph.inputs = model.graph.inputs.filter((input) => !constants.has(input.name));
  return model;
}

/** @param {Uint8Array} message */
function opset(message) {
  const result = { domain: '', version: 0 };
  for (const field of fields(message)) {
    if (field.field === 1) result.domain = text(field.bytes);
    if (field.field === 2) result.version = Number(field.value);
  }
  return result;
}

/**
 * One length-delimited field as bytes.
 * @param {number} number
 * @param {Uint8Array} payload
 */
export function lengthDelimited(number, payload) {
  return Buffer.concat([varint((number << 3) | kLengthDelimited), varint(payload.length), payload]);
}

/** @param {number} value */
function varint(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  bytes.push(value);
  return Uint8Array.from(bytes);
}
