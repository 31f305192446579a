// The compiler from the inside (wasm/workbench.cc): texts of its levels, their wasm, and an interpreter. Loaded only when
// a text is to be looked at; src/engine/workbench.h says what the levels are.

import { FuselaneError, type ErrorCode, type ErrorPlace, type SimdLevel } from 'fuselane';

export interface WorkbenchOptions {
  /** What code is made for. */
  readonly simd: SimdLevel;
  readonly sharedMemory?: boolean;
  /** Of a task: the text of a schedule; the default one when left out. */
  readonly schedule?: string;
}

type Outcome<T> = T | { readonly error: ErrorPlace & { readonly code: ErrorCode; readonly message: string } };

type CoreOptions = Required<WorkbenchOptions>;

interface Exports {
  show(text: string, level: string, options: CoreOptions): Outcome<{ text: string }>;
  assemble(text: string, options: CoreOptions): Outcome<{ bytes: Uint8Array<ArrayBuffer> }>;
  make(task: string, options: CoreOptions): Outcome<{ bytes: Uint8Array<ArrayBuffer> }>;
  call(text: string, options: CoreOptions, sizes: readonly SizeValue[]): Outcome<KernelCall>;
  interpret(
    text: string,
    options: CoreOptions,
    buffers: readonly NumberList[],
    sizes: readonly number[],
  ): Outcome<{ buffers: Float32Array<ArrayBuffer>[] }>;
  interpretLow(
    text: string,
    options: CoreOptions,
    memory: Uint8Array,
    args: number,
    extent: number,
  ): Outcome<{ memory: Uint8Array<ArrayBuffer> }>;
}

type NumberList = ArrayLike<number>;

export interface SizeValue {
  readonly name: string;
  readonly value: number;
}

/** How a kernel is called, see src/engine/workbench.h. */
export interface KernelCall {
  /** Those in memory, in the order of the arguments; all float32. */
  readonly buffers: readonly CallBuffer[];
  /** Behind the buffers. */
  readonly sizes: readonly SizeValue[];
  /** The range of the kernel's parallel loops. */
  readonly extent: number;
}

export interface CallBuffer {
  readonly name: string;
  readonly read: boolean;
  readonly written: boolean;
  /** That are touched. */
  readonly dims: readonly number[];
  /** From one element to the next along each, in elements. */
  readonly strides: readonly number[];
  /** Up to the last one that is touched. */
  readonly elements: number;
}

/** Endings of the names of text files, by level. */
const kEndings = ['.graph', '.task', '.loops', '.low'];

export const isText = (file: string): boolean => kEndings.some((ending) => file.endsWith(ending));

/** Its code has relaxed instructions, where it may. */
const relaxedTask = 'matmul tail 0';

export class Workbench {
  private constructor(private readonly core: Exports) {}

  static async open(): Promise<Workbench> {
    const { default: create } = await import('./workbench-glue.js');
    return new Workbench((await create()) as Exports);
  }

  /** What is asked for, or the best that code can be made for to run here. */
  simdLevel(asked: SimdLevel | 'auto'): SimdLevel {
    if (asked !== 'auto') return asked;
    return WebAssembly.validate(this.assemble(relaxedTask, { simd: 'relaxed' })) ? 'relaxed' : 'baseline';
  }

  /** The text at that level or a lower one. Throws FuselaneErrors, as all of these. */
  show(text: string, level: string, options: WorkbenchOptions): string {
    return succeeded(this.core.show(text, level, complete(options))).text;
  }

  /** The wasm module of a task, loops or low text, which imports its memory. */
  assemble(text: string, options: WorkbenchOptions): Uint8Array<ArrayBuffer> {
    return succeeded(this.core.assemble(text, complete(options))).bytes;
  }

  /** The wasm module of a task as engines make it: nothing in between is verified, and it has no names. */
  make(task: string, options: WorkbenchOptions): Uint8Array<ArrayBuffer> {
    return succeeded(this.core.make(task, complete(options))).bytes;
  }

  /** How the kernel of a task or of loops is called. A stride or the size of a block need not be given. */
  call(text: string, options: WorkbenchOptions, sizes: readonly SizeValue[]): KernelCall {
    return succeeded(this.core.call(text, complete(options), sizes));
  }

  /** What the buffers of a task's or loops' kernel hold after it ran on these. */
  interpret(
    text: string,
    options: WorkbenchOptions,
    buffers: readonly NumberList[],
    sizes: readonly number[],
  ): Float32Array<ArrayBuffer>[] {
    return succeeded(this.core.interpret(text, complete(options), buffers, sizes)).buffers;
  }

  /** What a memory holds after the kernel of a low text, or of what is lowered to it, ran over a range from 0. */
  interpretLow(
    text: string,
    options: WorkbenchOptions,
    memory: Uint8Array,
    args: number,
    extent: number,
  ): Uint8Array<ArrayBuffer> {
    return succeeded(this.core.interpretLow(text, complete(options), memory, args, extent)).memory;
  }
}

const complete = ({ simd, sharedMemory = false, schedule = '' }: WorkbenchOptions): CoreOptions => ({
  simd,
  sharedMemory,
  schedule,
});

function succeeded<T extends object>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw new FuselaneError(outcome.error.code, outcome.error.message, outcome.error);
  return outcome;
}
