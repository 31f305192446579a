// A kernel is run as loops or low instructions, which are interpreted, or as the wasm that is emitted for it.

import { FuselaneError } from 'fuselane';
import type { KernelCall, Workbench, WorkbenchOptions } from './workbench.js';

export const kernelLevels = ['loops', 'low', 'wasm'] as const;
export type KernelLevel = (typeof kernelLevels)[number];

export interface KernelRun {
  /** All of the call's buffers, as they are afterwards. */
  readonly buffers: readonly Float32Array[];
  /** To lower and compile, where that is done; 0 otherwise. */
  readonly loadMs: number;
  readonly runMs: readonly number[];
}

export interface KernelTexts {
  /** What is run. */
  readonly text: string;
  /** The task or loops that say what its buffers are: the same text, unless that is at level low. */
  readonly of: string;
}

/** `buffers` do not change. Errors: those of the workbench; invalid-data for a write that leaves the written buffers. */
export function runKernel(
  workbench: Workbench,
  { text, of }: KernelTexts,
  options: WorkbenchOptions,
  call: KernelCall,
  buffers: readonly Float32Array[],
  level: KernelLevel,
  repeat: number,
): KernelRun {
  let result = buffers;
  let execute: () => void;
  const start = performance.now();
  if (level === 'loops') {
    const sizes = call.sizes.map(({ value }) => value);
    execute = () => (result = workbench.interpret(of, options, buffers, sizes));
  } else {
    const image = new Image(call, buffers);
    const kernel =
      level === 'low'
        ? () => image.bytes.set(workbench.interpretLow(text, options, image.bytes, Image.args, call.extent))
        : instantiate(workbench.assemble(text, options), image.memory, call.extent);
    execute = () => {
      kernel();
      result = image.results();
    };
  }
  const loadMs = performance.now() - start;
  const runMs = Array.from({ length: repeat }, () => {
    const begin = performance.now();
    execute();
    return performance.now() - begin;
  });
  return { buffers: result, loadMs: level === 'wasm' ? loadMs : 0, runMs };
}

type Kernel = (args: number, begin: number, end: number) => number;

function instantiate(bytes: Uint8Array<ArrayBuffer>, memory: WebAssembly.Memory, extent: number): () => void {
  if (!WebAssembly.validate(bytes)) {
    const message = 'the code has instructions that are not here: ask for less with --simd';
    throw new FuselaneError('invalid-argument', message, { subject: 'simd' });
  }
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } });
  const [kernel, ...more] = Object.values(exports) as Kernel[];
  if (typeof kernel !== 'function' || more.length > 0)
    throw new FuselaneError('invalid-argument', 'the text must export one function: its kernel');
  return () => {
    kernel(Image.args, 0, extent);
  };
}

/** A kernel's arguments and buffers as its code finds them, with gaps between them that it must not write. */
class Image {
  /** The address of the arguments, below that of all buffers, which are at 4096 and more (lower/lower.h). */
  static readonly args = 4096;
  private static readonly gap = 64;

  readonly memory: WebAssembly.Memory;
  readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly before: Uint8Array;
  private readonly addresses: readonly number[];

  constructor(
    private readonly call: KernelCall,
    buffers: readonly Float32Array[],
  ) {
    const round = (size: number): number => Math.ceil(size / Image.gap) * Image.gap;
    let end = Image.args + round(4 * (call.buffers.length + call.sizes.length)) + Image.gap;
    this.addresses = buffers.map((buffer) => {
      const address = end;
      end += round(buffer.byteLength) + Image.gap;
      return address;
    });
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(end / 65536) });
    this.bytes = new Uint8Array(this.memory.buffer);
    const sizes = call.sizes.map(({ value }) => value);
    new Int32Array(this.bytes.buffer, Image.args).set([...this.addresses, ...sizes]);
    buffers.forEach((buffer, i) => this.view(i, buffer.length).set(buffer));
    this.before = this.bytes.slice();
  }

  /** Copies of the buffers. Error: invalid-data where anything else than a written buffer has changed. */
  results(): Float32Array[] {
    let at = 0;
    this.call.buffers.forEach(({ name, written, elements }, i) => {
      if (!written) return;
      const address = this.addresses[i] ?? 0;
      this.checkUntouched(at, address, `before buffer ${name}`);
      at = address + 4 * elements;
    });
    this.checkUntouched(at, this.bytes.length, 'behind the last buffer that it may write');
    return this.call.buffers.map(({ elements }, i) => this.view(i, elements).slice());
  }

  private view(buffer: number, elements: number): Float32Array<ArrayBuffer> {
    return new Float32Array(this.bytes.buffer, this.addresses[buffer], elements);
  }

  private checkUntouched(begin: number, end: number, where: string): void {
    for (let i = begin; i < end; i++) {
      if (this.bytes[i] === this.before[i]) continue;
      throw new FuselaneError(
        'invalid-data',
        `the kernel has written where it must not: byte ${i}, ${where}`,
      );
    }
  }
}
