// Brings up one instance of the core: memory, wasm, glue. In: a build of the core and where its wasm is. Out: the
// core's functions, which throw FuselaneErrors, and its heap.

import { FuselaneError, fromPlain, reasonOf, type PlainError } from './errors.js';
import { Heap } from './heap.js';
import type { WasmLocation } from './messages.js';
import type { Reader } from './readers.js';
import { chooseLevel } from './simd.js';
import type { DType, Knobs, Port, Preparation, Report, SimdLevel, Step } from './types.js';

/** A tensor in the heap; `pointer` is good until the core runs again. */
export interface HeapTensor {
  readonly type: DType;
  readonly dims: number[];
  readonly pointer: number;
  readonly bytes: number;
}

type Outcome<T> = T | { readonly error: PlainError };

/** Whether generated kernels are to be installed (kernels.ts) before a run goes on: until then it does nothing. */
interface KernelsPending {
  readonly kernels: boolean;
}

/** A report without what is known outside of the core. */
interface CoreReport extends Omit<Report, 'heapBytes' | 'build' | 'oneThreadBecause' | 'preparation'> {
  readonly preparation: Omit<Preparation, 'install'>;
}

/** What wasm/bindings.cc exports. It returns failures as values; `Core` throws them. */
interface Exports {
  begin(threads: number, simd: SimdLevel, names: boolean): void;
  end(): void;
  load(
    source: HeapReader,
    name: string,
    knobs: Knobs,
    strict: boolean,
  ): Outcome<{ readonly model: number; readonly inputs: Port[]; readonly outputs: Port[] }>;
  dispose(model: number): void;
  allocate(type: DType, dims: readonly number[]): Outcome<{ readonly tensor: number }>;
  tensor(tensor: number): Outcome<HeapTensor>;
  release(tensor: number): void;
  start(
    model: number,
    feeds: readonly { readonly name: string; readonly tensor: number }[],
    outputs: readonly string[],
    timed: boolean,
  ): Outcome<KernelsPending>;
  advance(model: number, milliseconds: number): Outcome<KernelsPending & { readonly done: boolean }>;
  pending(): Outcome<{ readonly pointer: number; readonly bytes: number }>;
  install(exports: WebAssembly.Exports): Outcome<KernelsPending>;
  refuse(reason: string): Outcome<KernelsPending>;
  output(model: number, name: string): Outcome<HeapTensor>;
  keep(model: number, name: string): Outcome<{ readonly tensor: number }>;
  report(model: number): Outcome<CoreReport>;
  steps(model: number): Outcome<{ readonly steps: Step[] }>;
  dump(model: number, level: string, pass: string): Outcome<{ readonly text: string }>;
  /** For tests: the thread traps when it next runs a kernel. */
  trapOn(thread: number): void;
}

/** Raised in shared memory to stop a run: the core looks at it before every step. */
export type CancelFlag = Int32Array<SharedArrayBuffer>;

export type Glue = (options: {
  wasmMemory: WebAssembly.Memory;
  instantiateWasm: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ) => object;
  print: (line: string) => void;
  printErr: (line: string) => void;
  /** What a thread loads: a script that loads the glue, such as the one that the engine's own worker runs. */
  mainScriptUrlOrBlob?: string;
}) => Promise<Exports & { cancelFlag?: CancelFlag | undefined }>;

type Succeeded<F> = F extends (...args: infer A) => infer R
  ? (...args: A) => Exclude<R, { error: unknown }>
  : never;
export type CoreFunctions = { readonly [K in keyof Exports]: Succeeded<Exports[K]> };

export interface Core {
  readonly call: CoreFunctions;
  readonly heap: Heap;
  /** Sets the flag that ends the runs from here on. */
  watch(flag: CancelFlag | undefined): void;
}

export type Build = Report['build'];

/** The wasm of each build, in dist/. */
export const wasmFiles: Record<Build, string> = { threads: 'fuselane.wasm', single: 'fuselane-single.wasm' };

export interface CoreParts {
  readonly build: Build;
  readonly glue: Glue;
  /** The wasm's place when the caller names none. */
  readonly wasmUrl: string;
  /** The script of the engine's threads, where the glue does not know it. */
  readonly threadScript?: string;
  /** Errors: engine-unavailable. */
  compileUrl(url: string): Promise<WebAssembly.Module>;
}

export interface CoreOptions {
  readonly threads: number;
  readonly simd: SimdLevel | 'auto';
  /** Whether generated code tells profilers how its functions are called. */
  readonly names: boolean;
}

/** Errors: engine-unavailable, out-of-memory, invalid-argument. */
export async function startCore(
  parts: CoreParts,
  wasm: WasmLocation,
  { threads, simd: asked, names }: CoreOptions,
  log: (line: string) => void,
): Promise<Core> {
  const simd = chooseLevel(asked);
  const { module, from } = await locate(parts, wasm);
  const heap = makeHeap(parts.build);
  const instance = instantiate(module, from, parts.build);
  // When instantiation fails the glue would wait for ever: its promise is raced against the instance's.
  const exports = await Promise.race([
    parts.glue({
      wasmMemory: heap.memory,
      instantiateWasm: (imports, done) => {
        void instance.begin(imports, done);
        return {};
      },
      print: log,
      printErr: log,
      ...(parts.threadScript !== undefined && { mainScriptUrlOrBlob: parts.threadScript }),
    }),
    instance.failed,
  ]);
  const memory = `${parts.build === 'threads' ? 'shared ' : ''}memory up to ${heap.maximumBytes / 2 ** 20} MB`;
  log(`core: ${from}, ${memory}, threads: ${threads}, SIMD: ${simd}`);
  exports.begin(threads, simd, names);
  return { call: throwing(exports), heap, watch: (flag) => (exports.cancelFlag = flag) };
}

async function locate(
  parts: CoreParts,
  wasm: WasmLocation,
): Promise<{ module: WebAssembly.Module; from: string }> {
  if (wasm.module) return { module: wasm.module, from: 'the given wasmModule' };
  if (wasm.binary) {
    const from = 'the given wasmBinary';
    return { module: await compileBytes(new Uint8Array(wasm.binary), from), from };
  }
  const given = wasm.url ?? parts.wasmUrl;
  const url = given.endsWith('/') ? given + wasmFiles[parts.build] : given;
  return { module: await parts.compileUrl(url), from: url };
}

/** Errors: engine-unavailable. `hint` says what the bytes may be instead of wasm, and what to do. */
export async function compileBytes(
  bytes: Uint8Array<ArrayBuffer>,
  from: string,
  hint = '',
): Promise<WebAssembly.Module> {
  if (![0x00, 0x61, 0x73, 0x6d].every((byte, i) => bytes[i] === byte)) {
    const expected = `the engine's ${wasmFiles.threads} or ${wasmFiles.single} was expected`;
    const message = `${from} is no WebAssembly (${bytes.length} bytes); ${expected}${hint && `: ${hint}`}`;
    throw new FuselaneError('engine-unavailable', message, { subject: from });
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw unusable(from, error);
  }
}

export function unusable(from: string, error: unknown): FuselaneError {
  const reason = reasonOf(error);
  const hint = /Content.Security.Policy|disallowed by embedder/i.test(reason)
    ? "add 'wasm-unsafe-eval' to script-src in the page's Content-Security-Policy"
    : 'the file is damaged, or this browser is too old for WebAssembly with SIMD and exceptions';
  const message = `${from} cannot be compiled (${reason}): ${hint}`;
  return new FuselaneError('engine-unavailable', message, { subject: from }, error);
}

function makeHeap(build: Build): Heap {
  try {
    return new Heap(build === 'threads');
  } catch (error) {
    const message = `no memory for the engine could be had (${reasonOf(error)}): dispose of other engines, or close other pages`;
    throw new FuselaneError('out-of-memory', message, {}, error);
  }
}

function instantiate(module: WebAssembly.Module, from: string, build: Build) {
  let reject: (error: FuselaneError) => void;
  const failed = new Promise<never>((_, no) => (reject = no));
  const begin = async (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): Promise<void> => {
    try {
      done(await WebAssembly.instantiate(module, imports), module);
    } catch (error) {
      const message = `${from} does not fit the engine's JavaScript (${reasonOf(error)}): ${wasmFiles[build]} of the same version is expected here`;
      reject(new FuselaneError('engine-unavailable', message, { subject: from }, error));
    }
  };
  return { begin, failed };
}

function throwing(exports: Exports): CoreFunctions {
  const wrap =
    (name: keyof Exports) =>
    (...args: unknown[]): unknown => {
      const outcome = (exports[name] as (...args: unknown[]) => Outcome<object> | undefined)(...args);
      if (outcome && 'error' in outcome) throw fromPlain(outcome.error);
      return outcome;
    };
  const names = Object.keys(kFunctions) as (keyof Exports)[];
  return Object.fromEntries(names.map((name) => [name, wrap(name)])) as unknown as CoreFunctions;
}

/** All names of Exports, which the compiler checks. */
const kFunctions: Record<keyof Exports, true> = {
  begin: true,
  end: true,
  load: true,
  dispose: true,
  allocate: true,
  tensor: true,
  release: true,
  start: true,
  advance: true,
  pending: true,
  install: true,
  refuse: true,
  output: true,
  keep: true,
  report: true,
  steps: true,
  dump: true,
  trapOn: true,
};

/** What the core calls to read a model: nothing may be thrown through it, a failure is its sentence. */
export interface HeapReader {
  readonly size: number;
  read(offset: number, length: number, pointer: number): string;
  close(): void;
}

export function heapReader(reader: Reader, heap: Heap): HeapReader {
  return {
    size: reader.size,
    read: (offset, length, pointer) => {
      try {
        reader.read(offset, heap.view(pointer, length));
        return '';
      } catch (error) {
        return reasonOf(error) || 'unknown reason';
      }
    },
    close: () => reader.close(),
  };
}
