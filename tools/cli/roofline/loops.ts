// The loops of the roofline as WebAssembly modules, written instruction by instruction: what no compiler touches
// before the browser's or Node's own.
//  - fma(n), mulAdd(n): n times kUnroll times `x = x * a + b` for each of kChains vectors of four float32. Chains do
//    not depend on each other; 12 of them cover the latency (4 cycles of FMA, 6 of multiply and add, two a cycle), and
//    with a and b they fit 16 registers. x tends to 2, so no value is ever denormal or infinite.
//  - read(from, to): loads bytes from..to of the memory, kChains vectors a turn.

const kChains = 12;
const kUnroll = 4;
const kPage = 65536;

/** Floating-point operations of one turn of fma and mulAdd. */
export const kOperationsPerTurn = kUnroll * kChains * 4 * 2;
/** read's range is a multiple of this. */
export const kBytesPerTurn = kChains * 16;

/** LEB128, unsigned. */
const leb = (n: number): number[] => (n < 128 ? [n] : [(n & 127) | 128, ...leb(n >>> 7)]);
/** Its four bytes. */
const float = (value: number): number[] => [...new Uint8Array(Float32Array.of(value).buffer)];
const repeated = (n: number, make: (i: number) => number[]): number[] =>
  Array.from({ length: n }, (_, i) => make(i)).flat();

const [i32, f32, v128] = [0x7f, 0x7d, 0x7b] as const;
const get = (i: number): number[] => [0x20, i];
const set = (i: number): number[] => [0x21, i];
const tee = (i: number): number[] => [0x22, i];
/** `body` begins with its label and ends by a jump back where a number is left that is not 0. */
const loop = (body: number[]): number[] => [0x03, 0x40, ...body, 0x0d, 0, 0x0b];
/** `n` is below 64 or from 128 to 8191, where signed and unsigned LEB128 are the same. */
const i32Const = (n: number): number[] => [0x41, ...leb(n)];
/** A float32 in all four lanes. */
const splat = (value: number): number[] => [0x43, ...float(value), 0xfd, 0x13];
const i32Add = [0x6a];
const i32Sub = [0x6b];
const i32LessUnsigned = [0x49];
const f32x4Add = [0xfd, ...leb(0xe4)];
const f32x4Mul = [0xfd, ...leb(0xe6)];
const relaxedMadd = [0xfd, ...leb(0x105)];
const xor = [0xfd, 0x51];
const firstLane = [0xfd, 0x1f, 0];
/** From the address on the stack. */
const load = (offset: number): number[] => [0xfd, 0x00, 4, ...leb(offset)];

/**
 * A module with one exported function `run` of i32 parameters, whose result is a float32, 12 + 2 local vectors, and an
 * exported memory.
 */
function moduleOf(parameters: number, code: number[], pages: number): WebAssembly.Module {
  const section = (id: number, content: number[]): number[] => [id, ...leb(content.length), ...content];
  const name = (text: string): number[] => [text.length, ...new TextEncoder().encode(text)];
  const body = [1, kChains + 2, v128, ...code, 0x0b];
  return new WebAssembly.Module(
    Uint8Array.from([
      ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...section(1, [1, 0x60, parameters, ...repeated(parameters, () => [i32]), 1, f32]),
      ...section(3, [1, 0]),
      ...section(5, [1, 0x00, ...leb(pages)]),
      ...section(7, [2, ...name('run'), 0x00, 0, ...name('memory'), 0x02, 0]),
      ...section(10, [1, ...leb(body.length), ...body]),
    ]),
  );
}

/** All chains folded into one number, so that none is dead code. */
const folded = (first: number, combine: number[]): number[] => [
  ...get(first),
  ...repeated(kChains - 1, (i) => [...get(first + 1 + i), ...combine]),
  ...firstLane,
];

function arithmetic(step: (x: number[], a: number[], b: number[]) => number[]): WebAssembly.Module {
  const [n, x, a, b] = [0, 1, kChains + 1, kChains + 2] as const;
  const chains = repeated(kChains, (i) => [...step(get(x + i), get(a), get(b)), ...set(x + i)]);
  return moduleOf(
    1,
    [
      ...repeated(kChains, (i) => [...splat(i), ...set(x + i)]),
      ...splat(0.5),
      ...set(a),
      ...splat(1),
      ...set(b),
      ...loop([...repeated(kUnroll, () => chains), ...get(n), ...i32Const(1), ...i32Sub, ...tee(n)]),
      ...folded(x, f32x4Add),
    ],
    0,
  );
}

export const fma = (): WebAssembly.Module => arithmetic((x, a, b) => [...x, ...a, ...b, ...relaxedMadd]);
export const mulAdd = (): WebAssembly.Module =>
  arithmetic((x, a, b) => [...x, ...a, ...f32x4Mul, ...b, ...f32x4Add]);

/** `bytes` is the size of the memory, a multiple of 64 kB. */
export function read(bytes: number): WebAssembly.Module {
  const [from, to, x] = [0, 1, 2] as const;
  const loads = repeated(kChains, (i) => [
    ...get(from),
    ...load(16 * i),
    ...get(x + i),
    ...xor,
    ...set(x + i),
  ]);
  const advance = [...get(from), ...i32Const(kBytesPerTurn), ...i32Add, ...tee(from)];
  return moduleOf(
    2,
    [...loop([...loads, ...advance, ...get(to), ...i32LessUnsigned]), ...folded(x, xor)],
    bytes / kPage,
  );
}
