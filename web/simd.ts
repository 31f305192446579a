// What SIMD the engine that runs us has: it decides what code is generated, and nothing else.

import { FuselaneError } from './errors.js';
import type { SimdLevel } from './types.js';

/** A module whose one function has this result type and body, which must be valid where the instruction is known. */
const probe = (...body: number[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // "\0asm", version 1
    ...[1, 5, 1, 0x60, 0, 1, 0x7b], // a type: no parameters, a v128
    ...[3, 2, 1, 0], // a function of it
    ...[10, body.length + 4, 1, body.length + 2, 0, ...body, 0x0b], // its body: no locals
  );

/** i8x16.splat(0) */
const vector = [0x41, 0, 0xfd, 0x0f];
/** i8x16.relaxed_swizzle, the first of the relaxed instructions. */
const relaxedSwizzle = [0xfd, 0x80, 0x02];

/** The best level that is here. Error: engine-unavailable where there is no SIMD at all, which the core itself needs. */
function bestLevel(): Exclude<SimdLevel, 'none'> {
  if (WebAssembly.validate(probe(...vector, ...vector, ...relaxedSwizzle))) return 'relaxed';
  if (WebAssembly.validate(probe(...vector))) return 'baseline';
  throw new FuselaneError(
    'engine-unavailable',
    'this browser is too old: WebAssembly has SIMD from Chrome and Edge 91, Firefox 89 and Safari 16.4 on',
  );
}

/** Errors: invalid-argument for a level that is asked for and not here; engine-unavailable. */
export function chooseLevel(asked: SimdLevel | 'auto'): SimdLevel {
  const best = bestLevel();
  if (asked === 'auto') return best;
  if (asked !== 'relaxed' || best === 'relaxed') return asked;
  const message =
    'the option "simd" asks for relaxed SIMD, which is not here: Chrome and Edge have it from 114 on, Firefox from 145, Node from 21 (20 with --experimental-wasm-relaxed-simd); "auto" takes the best there is';
  throw new FuselaneError('invalid-argument', message, { subject: 'simd' });
}
