// NumPy's .npy files, versions 1 to 3: reads and writes dense tensors of numbers and booleans.
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

import type { DType, Tensor, TensorData } from 'fuselane';

interface NpyType {
  readonly type: DType;
  /** Without the byte order. */
  readonly descr: string;
  readonly array: { new (buffer: ArrayBuffer): TensorData; readonly BYTES_PER_ELEMENT: number };
  /** Array elements for one element of the tensor. */
  readonly perElement: number;
}

const types: readonly NpyType[] = [
  { type: 'float32', descr: 'f4', array: Float32Array, perElement: 1 },
  { type: 'float64', descr: 'f8', array: Float64Array, perElement: 1 },
  { type: 'float16', descr: 'f2', array: Uint16Array, perElement: 1 },
  { type: 'int8', descr: 'i1', array: Int8Array, perElement: 1 },
  { type: 'int16', descr: 'i2', array: Int16Array, perElement: 1 },
  { type: 'int32', descr: 'i4', array: Int32Array, perElement: 1 },
  { type: 'int64', descr: 'i8', array: BigInt64Array, perElement: 1 },
  { type: 'uint8', descr: 'u1', array: Uint8Array, perElement: 1 },
  { type: 'uint16', descr: 'u2', array: Uint16Array, perElement: 1 },
  { type: 'uint32', descr: 'u4', array: Uint32Array, perElement: 1 },
  { type: 'uint64', descr: 'u8', array: BigUint64Array, perElement: 1 },
  { type: 'bool', descr: 'b1', array: Uint8Array, perElement: 1 },
  { type: 'complex64', descr: 'c8', array: Float32Array, perElement: 2 },
  { type: 'complex128', descr: 'c16', array: Float64Array, perElement: 2 },
];

const kMagic = '\x93NUMPY';
/** The data begins at a multiple of this. */
const kAlignment = 64;

/**
 * @param name the file's name, for messages
 * @throws Error in one sentence
 */
export function readNpy(bytes: Uint8Array, name: string): Tensor {
  const refuse = (what: string): never => {
    throw new Error(`${name} ${what}`);
  };
  const latin = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  if (latin(0, 6) !== kMagic) refuse('is no .npy file (it does not begin with \\x93NUMPY)');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = bytes[6] ?? 0;
  if (version < 1 || version > 3) refuse(`is a .npy file of version ${version}; 1, 2 or 3 was expected`);
  const begin = version === 1 ? 10 : 12;
  if (bytes.length < begin) refuse('ends within its header');
  const end = begin + (version === 1 ? view.getUint16(8, true) : view.getUint32(8, true));
  if (bytes.length < end) refuse('ends within its header');
  const header = new TextDecoder().decode(bytes.subarray(begin, end));
  const descr = /'descr': *'([^']*)'/.exec(header)?.[1] ?? refuse('has no plain type in its header');
  const order = /'fortran_order': *(True|False)/.exec(header)?.[1];
  const shape = /'shape': *\(([\d, ]*)\)/.exec(header)?.[1] ?? refuse('has no shape in its header');
  if (order !== 'False') refuse('is stored column by column: save it with numpy.ascontiguousarray');
  const known = types.find((row) => row.descr === descr.slice(1));
  if (!known || !/^[<|=]/.test(descr))
    return refuse(`has elements of type ${descr}; little-endian numbers or booleans were expected`);
  const dims = [...shape.matchAll(/\d+/g)].map(Number);
  const length = dims.reduce((a, b) => a * b, 1) * known.perElement * known.array.BYTES_PER_ELEMENT;
  if (bytes.length - end !== length)
    refuse(
      `has ${bytes.length - end} bytes of data; its shape [${dims.join(', ')}] of ${descr} needs ${length}`,
    );
  return { type: known.type, dims, data: new known.array(Uint8Array.from(bytes.subarray(end)).buffer) };
}

/** Version 1.0. float types without a name in NumPy cannot be written. */
export function writeNpy({ type, dims, data }: Pick<Tensor, 'type' | 'dims' | 'data'>): Uint8Array {
  const known = types.find((row) => row.type === type);
  if (!known) throw new Error(`tensors of type ${type} cannot be written as .npy`);
  const order = known.array.BYTES_PER_ELEMENT === 1 ? '|' : '<';
  const shape = dims.length === 1 ? `${dims[0]},` : dims.join(', ');
  const text = `{'descr': '${order}${known.descr}', 'fortran_order': False, 'shape': (${shape}), }`;
  const size = Math.ceil((10 + text.length + 1) / kAlignment) * kAlignment;
  const bytes = new Uint8Array(size + data.byteLength);
  bytes.fill(0x20, 0, size);
  bytes.set([...kMagic].map((char) => char.charCodeAt(0)));
  bytes.set([1, 0, (size - 10) & 255, (size - 10) >> 8], 6);
  bytes.set(new TextEncoder().encode(text), 10);
  bytes[size - 1] = 0x0a;
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), size);
  return bytes;
}
