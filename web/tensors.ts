// Tensors between the caller's arrays and the engine's bytes: every element type, its array, and the checks of feeds.
// Whether a type, shape or name fits the model is said by the core; here, whether the feed fits itself.

import type { BufferPool } from './buffers.js';
import { FuselaneError } from './errors.js';
import type { FeedMessage } from './messages.js';
import type { DType, Port, TensorData } from './types.js';

interface ElementType {
  readonly array: { new (buffer: ArrayBuffer): TensorData; readonly BYTES_PER_ELEMENT: number };
  /** Array elements for one element of the tensor; 1 when left out. */
  readonly perElement?: number;
  /** Which numbers stand for elements exactly (or, for floats, by rounding once); none when left out. */
  readonly holds?: (value: number) => boolean;
}

const whole =
  (low: number, high: number) =>
  (value: number): boolean =>
    Number.isInteger(value) && value >= low && value <= high;
const kSafe = Number.MAX_SAFE_INTEGER;
const isExtent = whole(0, kSafe);

const types: Record<Exclude<DType, 'string'>, ElementType> = {
  float32: { array: Float32Array, holds: () => true },
  float64: { array: Float64Array, holds: () => true },
  int8: { array: Int8Array, holds: whole(-128, 127) },
  uint8: { array: Uint8Array, holds: whole(0, 255) },
  int16: { array: Int16Array, holds: whole(-32768, 32767) },
  uint16: { array: Uint16Array, holds: whole(0, 65535) },
  int32: { array: Int32Array, holds: whole(-(2 ** 31), 2 ** 31 - 1) },
  uint32: { array: Uint32Array, holds: whole(0, 2 ** 32 - 1) },
  int64: { array: BigInt64Array, holds: whole(-kSafe, kSafe) },
  uint64: { array: BigUint64Array, holds: whole(0, kSafe) },
  bool: { array: Uint8Array, holds: whole(0, 1) },
  float16: { array: Uint16Array },
  bfloat16: { array: Uint16Array },
  float8e4m3fn: { array: Uint8Array },
  float8e4m3fnuz: { array: Uint8Array },
  float8e5m2: { array: Uint8Array },
  float8e5m2fnuz: { array: Uint8Array },
  uint4: { array: Uint8Array, perElement: 0.5 },
  int4: { array: Uint8Array, perElement: 0.5 },
  float4e2m1: { array: Uint8Array, perElement: 0.5 },
  complex64: { array: Float32Array, perElement: 2 },
  complex128: { array: Float64Array, perElement: 2 },
};

const typeTable: Readonly<Record<string, ElementType | undefined>> = types;

/** The type that an array says by itself. */
const naturalTypes: Readonly<Record<string, DType | undefined>> = {
  Float32Array: 'float32',
  Float64Array: 'float64',
  Int8Array: 'int8',
  Uint8Array: 'uint8',
  Uint8ClampedArray: 'uint8',
  Int16Array: 'int16',
  Uint16Array: 'uint16',
  Int32Array: 'int32',
  Uint32Array: 'uint32',
  BigInt64Array: 'int64',
  BigUint64Array: 'uint64',
  Float16Array: 'float16',
};

/** The elements in the array of their type. */
export function arrayOf(type: DType, buffer: ArrayBuffer): TensorData {
  const element = typeTable[type];
  if (element) return new element.array(buffer);
  throw new FuselaneError('unsupported-model', `tensors of type ${type} cannot be returned`);
}

const refuse = (name: string, what: string): FuselaneError =>
  new FuselaneError('invalid-input', `input "${name}" ${what}`, { subject: name });

/** A copy of what the caller feeds, as a message. Error: invalid-input. */
export function packFeed(
  name: string,
  value: unknown,
  port: Port | undefined,
  buffers: BufferPool,
): FeedMessage {
  if (typeof value !== 'object' || value === null || !('data' in value) || !('dims' in value))
    throw refuse(name, 'must be { dims, data }, such as { dims: [1, 3], data: new Float32Array(3) }');
  const { data, dims, type: given } = value as { data: unknown; dims: unknown; type?: DType };
  if (
    !Array.isArray(dims) ||
    !(dims as unknown[]).every((extent) => typeof extent === 'number' && isExtent(extent))
  )
    throw refuse(name, 'has dims that are not an array of whole numbers >= 0');
  const array = ArrayBuffer.isView(data) ? Object.prototype.toString.call(data).slice(8, -1) : 'Array';
  if (array === 'Array' && !Array.isArray(data))
    throw refuse(name, 'has data that is neither a typed array nor an array of numbers');
  const type = given ?? typeOfFeed(name, array, port);
  const element = typeTable[type];
  if (!element) throw refuse(name, `has type "${type}", which cannot be fed`);
  const message = {
    type,
    dims: [...(dims as number[])],
    data: Array.isArray(data)
      ? packNumbers(name, type, element, data as unknown[], buffers)
      : packArray(name, type, element, array, data as ArrayBufferView, buffers),
  };
  const count = message.dims.reduce((product, extent) => product * extent, 1);
  const expected = Math.ceil(count * (element.perElement ?? 1));
  const length = message.data.byteLength / element.array.BYTES_PER_ELEMENT;
  if (length !== expected)
    throw refuse(name, `has ${length} values; its dims [${dims.join(', ')}] make ${expected}`);
  return { name, value: message };
}

/** The model's type where the array can hold it, else the one the array says. */
function typeOfFeed(name: string, array: string, port: Port | undefined): DType {
  if (array === 'Array') return port?.type ?? 'float32';
  if (port && typeTable[port.type]?.array.name === array) return port.type;
  const natural = naturalTypes[array];
  if (!natural) throw refuse(name, `has data of the kind ${array}, which holds no elements of a tensor`);
  return natural;
}

function packArray(
  name: string,
  type: DType,
  element: ElementType,
  array: string,
  data: ArrayBufferView,
  buffers: BufferPool,
): ArrayBuffer {
  if (element.array.name !== array && naturalTypes[array] !== type)
    throw refuse(name, `has type ${type} but its data is a ${array}; a ${element.array.name} was expected`);
  const copy = buffers.take(data.byteLength);
  new Uint8Array(copy).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return copy;
}

function packNumbers(
  name: string,
  type: DType,
  element: ElementType,
  data: readonly unknown[],
  buffers: BufferPool,
): ArrayBuffer {
  const { array, holds } = element;
  if (!holds)
    throw refuse(name, `has type ${type}, which is fed in a ${array.name}, not in an array of numbers`);
  const wrong = data.findIndex((value) => typeof value !== 'number' || !holds(value));
  if (wrong >= 0) {
    const found = Array.isArray(data[wrong])
      ? 'an array (nested arrays are not flattened)'
      : String(data[wrong]);
    throw refuse(name, `has ${found} at index ${wrong}, which is no ${type}`);
  }
  const result = new array(buffers.take(data.length * array.BYTES_PER_ELEMENT));
  const isBig = result instanceof BigInt64Array || result instanceof BigUint64Array;
  for (const [i, value] of (data as readonly number[]).entries()) result[i] = isBig ? BigInt(value) : value;
  return result.buffer;
}
