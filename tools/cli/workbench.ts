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
  interpret(
    text: string,
    options: CoreOptions,
    buffers: readonly (readonly number[])[],
    sizes: readonly number[],
  ): Outcome<{ buffers: Float32Array<ArrayBuffer>[] }>;
  extent(text: string, options: CoreOptions, sizes: readonly number[]): Outcome<{ extent: number }>;
}

/** Endings of the names of text files, by level. */
const kEndings = ['.graph', '.task', '.loops', '.low'];

/** Its code has relaxed instructions, where it may. */
const relaxedTask = 'matmul tail 0';

export const isText = (file: string): boolean => kEndings.some((ending) => file.endsWith(ending));

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

  /** What the buffers of a task's or loops' kernel hold after it ran on these. */
  interpret(
    text: string,
    options: WorkbenchOptions,
    buffers: readonly (readonly number[])[],
    sizes: readonly number[],
  ): Float32Array<ArrayBuffer>[] {
    return succeeded(this.core.interpret(text, complete(options), buffers, sizes)).buffers;
  }

  /** How many iterations the parallel loops of its kernel have together. */
  extent(text: string, options: WorkbenchOptions, sizes: readonly number[]): number {
    return succeeded(this.core.extent(text, complete(options), sizes)).extent;
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
