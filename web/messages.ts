// Every message between the API and the host that holds the engine, in the same thread or in a worker.
// A call has an id, is answered once with its result or an error, and may be cancelled until then: by a message, and
// where memory is shared also by a flag, which the host sees while it computes.

import type { CancelFlag } from './core.js';
import type { PlainError } from './errors.js';
import type { DetailedReport, DType, Knobs, Port, Profile, Progress, Report, SimdLevel } from './types.js';

/** The engine's wasm; the file beside the glue when nothing is said. */
export interface WasmLocation {
  readonly url?: string;
  readonly binary?: ArrayBuffer;
  readonly module?: WebAssembly.Module;
}

/**
 * Where the host finds a model's bytes. Chunks have `kChunkBytes` each (chunks.ts), except for the last; `answer` is what
 * the server said that gave them.
 */
export type SourceMessage =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'blob'; readonly blob: Blob }
  | { readonly kind: 'chunks'; readonly chunks: readonly ArrayBuffer[]; readonly answer?: string };

export interface TensorMessage {
  readonly type: DType;
  readonly dims: readonly number[];
  readonly data: ArrayBuffer;
}

/** A tensor of the engine, by its number. */
export interface KeptMessage {
  readonly type: DType;
  readonly dims: readonly number[];
  readonly tensor: number;
}

export interface FeedMessage {
  readonly name: string;
  readonly value: TensorMessage | { readonly tensor: number };
}

export interface ResultMessage {
  readonly name: string;
  readonly value: TensorMessage | KeptMessage;
}

export interface Calls {
  start: {
    request: { wasm: WasmLocation; log: boolean; threads: number | null; simd: SimdLevel | 'auto' };
    result: null;
  };
  load: {
    request: { source: SourceMessage; name: string; knobs: Knobs; strict: boolean };
    result: { model: number; inputs: Port[]; outputs: Port[] };
  };
  run: {
    request: { model: number; feeds: FeedMessage[]; outputs: string[] | null; keep: string[] };
    result: ResultMessage[];
  };
  read: { request: { tensor: number }; result: ArrayBuffer };
  release: { request: { tensor: number }; result: null };
  dispose: { request: { model: number }; result: null };
  report: { request: { model: number; detail: boolean }; result: Report | DetailedReport };
  profile: { request: { model: number; feeds: FeedMessage[]; runs: number }; result: Profile };
  dump: { request: { model: number; level: string; pass: string }; result: string };
}

export type Kind = keyof Calls;

/** One of the calls, with its kind as the tag. */
export type Call = { [K in Kind]: { readonly kind: K; readonly request: Calls[K]['request'] } }[Kind];

export type ToHost =
  | { readonly id: number; readonly call: Call; readonly flag?: CancelFlag } //
  | { readonly id: number; readonly cancel: true };

export type FromHost =
  | {
      readonly id: number;
      readonly result: Calls[Kind]['result'];
      /** The buffers of the feeds, which are not needed any more. */
      readonly spent: ArrayBuffer[];
    }
  | { readonly id: number; readonly error: PlainError }
  | { readonly id: number; readonly progress: Progress }
  | { readonly log: string };

/** What a page's worker says first: it holds the lock of this name until it ends, however it ends. */
export interface Lives {
  readonly lives: string;
}

/** The way to a host. */
export interface Channel {
  /** What is transferred must be owned by the sender. */
  post(message: ToHost, transfer: ArrayBuffer[]): void;
  /** Whether a flag can be raised while the host computes: it is in another thread and memory can be shared. */
  readonly takesFlags: boolean;
  /** Tells whether answers are awaited: a Node process may end when none are. */
  hold(busy: boolean): void;
  /** Ends the host at once. */
  end(): Promise<void>;
}

/** What a channel calls. */
export interface Listener {
  message(message: FromHost): void;
  /** The host has ended by itself or could not start. */
  ended(error: PlainError): void;
}
