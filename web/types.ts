// The types callers see. All methods are asynchronous; `inputs` and `outputs` are plain properties.

import type { Knobs } from './knobs.js';

export type { Knobs };

export type DType =
  | 'float32'
  | 'uint8'
  | 'int8'
  | 'uint16'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'string'
  | 'bool'
  | 'float16'
  | 'float64'
  | 'uint32'
  | 'uint64'
  | 'complex64'
  | 'complex128'
  | 'bfloat16'
  | 'float8e4m3fn'
  | 'float8e4m3fnuz'
  | 'float8e5m2'
  | 'float8e5m2fnuz'
  | 'uint4'
  | 'int4'
  | 'float4e2m1';

/**
 * Elements in row-major order. int64 is a BigInt64Array, bool a Uint8Array of 0 and 1, float16 and bfloat16 their bits
 * in a Uint16Array, float8 its bits in a Uint8Array; 4-bit elements lie two to a byte, the first in the low half;
 * complex elements are pairs.
 */
export type TensorData =
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>
  | BigUint64Array<ArrayBuffer>;

/** A result: the caller's own copy. */
export interface Tensor {
  type: DType;
  dims: number[];
  data: TensorData;
}

/**
 * What is fed: the data is copied when `run` is called and never detached. `type` may be left out when the array says
 * it, or when the model's input has a type that this array holds. Plain arrays of numbers are taken for float32,
 * float64 and, where every number fits, for integers and bool. A Float16Array is taken for float16 where the engine
 * has it.
 */
export interface TensorInput {
  readonly type?: DType;
  readonly dims: readonly number[];
  readonly data: ArrayBufferView | readonly number[];
}

/** A result that stays in the engine: feed it to any model of the same engine, read it, and dispose of it. */
export interface KeptTensor {
  readonly type: DType;
  readonly dims: readonly number[];
  /** A copy of the elements. */
  data(): Promise<TensorData>;
  /** Frees the tensor's memory for reuse. */
  dispose(): Promise<void>;
}

export type Feeds = Readonly<Record<string, TensorInput | KeptTensor>>;

/** An input or output of a model. */
export interface Port {
  readonly name: string;
  readonly type: DType;
  /** A fixed extent, the name of a symbolic one, or null when nothing is known; all null when even the rank is open. */
  readonly dims: readonly (number | string | null)[] | null;
}

/** What is used of a `Worker` of node:worker_threads. */
export interface NodeWorker {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  on(event: string, listener: (...values: never[]) => void): unknown;
  ref(): void;
  unref(): void;
  terminate(): Promise<number>;
}

/** Bytes of the source that have arrived. */
export interface Progress {
  readonly loaded: number;
  /** Left out when the server does not tell. */
  readonly total?: number;
}

/** A URL, a path (Node), the bytes themselves, or what delivers them. */
export type Source =
  string | URL | ArrayBufferLike | ArrayBufferView | Blob | Response | ReadableStream<Uint8Array>;

export interface EngineOptions {
  /** Runs in a worker of its own (true), or in the calling thread: for workers and service workers. */
  readonly worker?: boolean;
  /**
   * Threads that share the work of a run: as many as there are cores but at most 8 when left out, one where the page is
   * not cross-origin isolated. The results are the same for any number.
   */
  readonly threads?: number;
  /**
   * What SIMD generated code may use: the best there is ("auto", when left out), or a level that is not above it. Slower
   * levels are for comparison.
   */
  readonly simd?: SimdLevel | 'auto';
  /** Takes the engine's messages, a line each. Generated functions then have names, for profilers. */
  readonly log?: (line: string) => void;
  /** Where fuselane.wasm lies; ending with "/": the folder that holds it and fuselane-single.wasm. */
  readonly wasmUrl?: string | URL;
  readonly wasmBinary?: ArrayBuffer | ArrayBufferView;
  readonly wasmModule?: WebAssembly.Module;
  /** Makes the worker from the named file of dist/, where a bundler needs help to find it. */
  readonly createWorker?: (file: string) => Worker | NodeWorker;
}

export interface LoadOptions {
  /**
   * "fast" (when left out) may compute convolutions by Winograd's filtering and multiply and add with one rounding where the
   * engine's SIMD level has that: float32 results differ from exact ones by at most 1e-4 of the largest for an operator,
   * 1e-3 for a deep network. "strict" does neither: every product and every sum is rounded to float32, and sums are
   * only taken in another order. Answers are then the same bits at the levels "relaxed" and "baseline".
   */
  readonly precision?: 'fast' | 'strict';
  readonly knobs?: Knobs;
  readonly onProgress?: (progress: Progress) => void;
  /** Aborting rejects with the code `cancelled`. */
  readonly signal?: AbortSignal;
}

export interface DumpOptions {
  /** The graph after the last run of this pass, or with "import" as it was read. */
  readonly pass?: string;
}

export interface RunOptions<Kept extends string = string> {
  /** The wanted outputs; all when left out. */
  readonly outputs?: readonly string[];
  /** Outputs that stay in the engine and are returned as handles. */
  readonly keep?: readonly Kept[];
  /** Aborting rejects with the code `cancelled`, also while the run is queued. */
  readonly signal?: AbortSignal;
}

/** The results of a run that keeps some of them. */
export type Results<Kept extends string> = Record<Kept, KeptTensor> & Record<string, Tensor | KeptTensor>;

/** What SIMD generated code uses: none, SIMD128, or relaxed SIMD as well. */
export type SimdLevel = 'none' | 'baseline' | 'relaxed';

/**
 * How many milliseconds a model was prepared, in the engine: all of its loading but the download, and what was planned
 * for the shapes it was run with so far.
 */
export interface Preparation {
  /** The file to a graph. */
  readonly import: number;
  /** The passes over the graph. */
  readonly optimize: number;
  /** Constants read and packed. */
  readonly weights: number;
  /** Steps made of the graph, and their kernels scheduled and lowered. */
  readonly plan: number;
  /** WebAssembly written for the kernels. */
  readonly emit: number;
  /** That WebAssembly compiled by the JavaScript engine and instantiated in one thread. */
  readonly install: number;
}

/** Counts and sizes; bytes are bytes of the wasm memory. */
export interface Report {
  readonly nodesImported: number;
  readonly nodes: number;
  readonly plans: number;
  readonly segments: number;
  readonly steps: number;
  readonly weightBytes: number;
  readonly arenaBytes: number;
  /** The whole wasm memory of the engine, shared by its models; it never shrinks. */
  readonly heapBytes: number;
  /** The build of the core in use: with threads (shared memory) or without. */
  readonly build: 'threads' | 'single';
  /** What generated code uses. */
  readonly simd: SimdLevel;
  /** Kernels that the engine has generated for its models, and their code's bytes. */
  readonly kernels: number;
  readonly kernelBytes: number;
  readonly threads: number;
  /** Those that have started; a run does not wait for the others. */
  readonly threadsReady: number;
  /** Why the engine can have one thread only, where that is so. */
  readonly oneThreadBecause?: string;
  readonly preparation: Preparation;
}

export interface ProfileOptions {
  /** How often the model is run (10 when left out), after a first run that is not counted. */
  readonly runs?: number;
  readonly signal?: AbortSignal;
}

/** A node of the graph after optimization: its name and operator. */
export interface NodeName {
  readonly node: string;
  readonly operator: string;
}

/**
 * A step of a run: a call of a kernel, or of an operator's reference. `node` and `operator` are what errors name: one of
 * `nodes`, or the node that a layout is changed for.
 */
export interface Step extends NodeName {
  /** All nodes whose work it does, alone or with the other steps of its group; none where it only changes a layout. */
  readonly nodes: readonly NodeName[];
  /** Steps that do the work of the same nodes have the same number; left out where there are no nodes. */
  readonly group?: number;
  /** Made for the model, compiled with the core, or the operator's scalar reference. */
  readonly kind: 'generated' | 'library' | 'reference';
  /** The task of a generated kernel as text; the name of the library's; "reference". */
  readonly kernel: string;
  /** How a generated kernel's loops are ordered: a move a line, read by `fuselane dump --schedule`. */
  readonly schedule?: string;
  /** Bytes of the buffers it reads, weights among them, each once; of kernels that copy and gather what they move. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /**
   * Of the group's convolutions, matrix products and recurrent layers, as the graph states them (a convolution counts as
   * a direct one), at the last step of the group or, where a convolution is computed in blocks, at their products; 0 elsewhere.
   */
  readonly multiplyAdds: number;
  /** Steps in a row that threads run without waiting for each other have the same number. */
  readonly stage: number;
  /** Pieces that the threads share; 1: one thread alone runs it. */
  readonly chunks: number;
  /** Median over the runs of a profile. */
  readonly milliseconds?: number;
}

/** A step of a profile. */
export interface StepTime extends Step {
  readonly milliseconds: number;
}

export interface ReportOptions {
  /** Adds what each step of the last run is. */
  readonly detail?: boolean;
}

/** What the compiler has made of the model for the shapes of its last run. */
export interface ReportDetail {
  /** In the order they run. They have times where a profile was taken of these steps. */
  readonly steps: readonly Step[];
  /** Groups of nodes that have steps. */
  readonly groups: number;
  /** Steps that only change a layout. */
  readonly conversions: number;
  /** Stages after which the threads wait for each other: those with a step that they share. */
  readonly barriers: number;
  /** Of that profile: median of a whole run in the engine, and how many runs. */
  readonly milliseconds?: number;
  readonly runs?: number;
}

export interface DetailedReport extends Report {
  readonly detail: ReportDetail;
}

/** Times are medians over the runs. */
export interface Profile {
  readonly runs: number;
  /** A whole run in the engine, without the way to its worker and back. */
  readonly milliseconds: number;
  readonly steps: readonly StepTime[];
}

export interface Model {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  /** One run at a time per engine, others queue. */
  run(feeds: Feeds, options?: Omit<RunOptions, 'keep'>): Promise<Record<string, Tensor>>;
  run<Kept extends string>(feeds: Feeds, options: RunOptions<Kept>): Promise<Results<Kept>>;
  /**
   * Counts and sizes; with `detail` also the steps of the last run, with times where `profile` has measured these steps.
   * Error: invalid-argument for `detail` before the first run, since steps are planned for its shapes.
   */
  report(options: ReportOptions & { readonly detail: true }): Promise<DetailedReport>;
  report(options?: ReportOptions): Promise<Report>;
  /**
   * Runs the model several times and tells how long each step took. Errors: those of `run`; unsupported-model where
   * the runs do not take the same steps.
   */
  profile(feeds: Feeds, options?: ProfileOptions): Promise<Profile>;
  /**
   * The model as text: "graph", or "plan" of the last shapes run. Errors: invalid-argument.
   */
  dump(level: string, options?: DumpOptions): Promise<string>;
  /** Frees the model's memory for reuse; a private engine ends. */
  dispose(): Promise<void>;
}

export interface Engine {
  load(source: Source, options?: LoadOptions): Promise<Model>;
  /** Ends the engine and its worker with all models; calls under way are rejected with the code `disposed`. */
  dispose(): Promise<void>;
}
