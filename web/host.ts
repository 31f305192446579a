// Holds the engine and answers calls, in a worker or in the calling thread. Calls that touch the core run one after
// the other in the order they came; downloads run beside them. A run returns to the event loop every 20 ms or so, so
// that a cancel message arrives; where memory is shared, a flag ends it before the next step.

import { Cancellation } from './cancellation.js';
import { heapReader, startCore, type CancelFlag, type Core, type CoreParts } from './core.js';
import { cancelled, FuselaneError, reasonOf, toPlain } from './errors.js';
import { FeedTensors, type FeedTensor } from './feed_tensors.js';
import { installKernels } from './kernels.js';
import type {
  Call,
  Calls,
  FeedMessage,
  FromHost,
  Kind,
  ResultMessage,
  SourceMessage,
  ToHost,
} from './messages.js';
import type { Reader } from './readers.js';
import { detailOf, summary, type TimedRun } from './profile.js';
import type { Port, Profile, Progress } from './types.js';

/** Long enough that returning to the event loop costs nothing, short enough that cancelling feels immediate. */
const kSliceMilliseconds = 20;

/** As many as there are cores, but more than this are rarely of use. */
const kThreads = 8;

/** What differs between pages and Node. */
export interface HostParts extends CoreParts {
  cores(): number;
  /** Why the engine has one thread only, where it cannot have more. */
  readonly oneThreadBecause?: string | undefined;
  open(
    source: SourceMessage,
    name: string,
    onProgress: (progress: Progress) => void,
    signal: AbortSignal,
  ): Promise<Reader>;
  /** Lets the event loop deliver messages. */
  pause(): Promise<void>;
}

export type Post = (message: FromHost, transfer: ArrayBuffer[]) => void;

interface RunStart {
  readonly feeds: readonly { readonly name: string; readonly tensor: number }[];
  readonly outputs: readonly string[];
  readonly timed?: boolean;
}

interface Context {
  readonly cancellation: Cancellation;
  readonly flag: CancelFlag | undefined;
  readonly progress: (progress: Progress) => void;
}
type Handlers = {
  readonly [K in Kind]: (request: Calls[K]['request'], context: Context) => Promise<Calls[K]['result']>;
};

/** What is held of a model outside of the core. */
interface Held {
  /** The names of its outputs, for runs that want all. */
  readonly outputs: readonly string[];
  /** How long its kernels were compiled and instantiated. */
  install: number;
  /** The last one, for its report. */
  profile?: Profile;
}

export class Host {
  private core: Promise<Core> | undefined;
  private log: (line: string) => void = () => {};
  private readonly models = new Map<number, Held>();
  private readonly calls = new Map<number, Cancellation>();
  private readonly feedTensors = new FeedTensors();
  private queue: Promise<unknown> = Promise.resolve();
  /** Set by a trap: the memory cannot be trusted any more. */
  private broken: FuselaneError | undefined;

  constructor(
    private readonly parts: HostParts,
    private readonly post: Post,
  ) {}

  /** Takes a message; the answer is posted. */
  receive(message: ToHost): void {
    if ('cancel' in message) this.calls.get(message.id)?.cancel();
    else void this.answer(message);
  }

  /** Ends the engine's threads, where they do not end with a worker. A run that is under way goes on alone. */
  end(): void {
    void this.core?.then(
      ({ call }) => call.end(),
      () => {},
    );
  }

  private async answer({ id, call, flag }: { id: number; call: Call; flag?: CancelFlag }): Promise<void> {
    const cancellation = new Cancellation();
    this.calls.set(id, cancellation);
    try {
      const context = {
        cancellation,
        flag,
        progress: (progress: Progress) => this.post({ id, progress }, []),
      };
      const handle = this.handlers[call.kind] as (
        request: Call['request'],
        context: Context,
      ) => Promise<Calls[Kind]['result']>;
      const result = await handle(call.request, context);
      const spent = 'feeds' in call.request ? buffersOf(call.request.feeds) : [];
      this.post({ id, result, spent }, [...buffersOf(result), ...spent]);
    } catch (error) {
      this.post({ id, error: toPlain(error) }, []);
    } finally {
      this.calls.delete(id);
    }
  }

  private readonly handlers: Handlers = {
    start: async ({ wasm, log, threads, simd }, { cancellation }) => {
      if (log) this.log = (line) => this.post({ log: line }, []);
      const most = threads ?? Math.min(this.parts.cores(), kThreads);
      const options = { threads: this.parts.oneThreadBecause ? 1 : most, simd, names: log };
      this.core = startCore(this.parts, wasm, options, this.log);
      await cancellation.orCancelled(this.core);
      return null;
    },
    load: async ({ source, name, knobs, strict }, { cancellation, flag, progress }) => {
      const reader = await this.parts.open(source, name, progress, cancellation.signal);
      const state = { taken: false }; // from then on the core closes it
      const load = (core: Core): Calls['load']['result'] => {
        state.taken = true;
        return this.load(core, reader, name, { knobs, strict }, flag);
      };
      try {
        return await this.inTurn(cancellation, load);
      } finally {
        if (!state.taken) reader.close();
      }
    },
    run: (request, { cancellation, flag }) =>
      this.inTurn(cancellation, (core) => this.run(core, request, cancellation, flag)),
    read: ({ tensor }, { cancellation }) =>
      this.inTurn(cancellation, ({ call, heap }) => {
        const { pointer, bytes } = call.tensor(tensor);
        return heap.copyOut(pointer, bytes);
      }),
    release: ({ tensor }, { cancellation }) =>
      this.inTurn(cancellation, ({ call }) => {
        call.release(tensor);
        return null;
      }),
    dispose: ({ model }, { cancellation }) =>
      this.inTurn(cancellation, ({ call }) => {
        call.dispose(model);
        this.models.delete(model);
        return null;
      }),
    report: ({ model, detail }, { cancellation }) =>
      this.inTurn(cancellation, ({ call, heap }) => {
        const report = call.report(model);
        const held = this.models.get(model);
        return {
          ...report,
          preparation: { ...report.preparation, install: held?.install ?? 0 },
          ...(detail && { detail: detailOf(call.steps(model).steps, held?.profile) }),
          heapBytes: heap.bytes,
          build: this.parts.build,
          ...(this.parts.oneThreadBecause && { oneThreadBecause: this.parts.oneThreadBecause }),
        };
      }),
    profile: (request, { cancellation, flag }) =>
      this.inTurn(cancellation, (core) => this.profile(core, request, cancellation, flag)),
    dump: ({ model, level, pass }, { cancellation }) =>
      this.inTurn(cancellation, ({ call }) => call.dump(model, level, pass).text),
  };

  /** Runs a task on the core after those that came before; while it waits for its turn it is cancelled at once. */
  private inTurn<T>(cancellation: Cancellation, task: (core: Core) => T | Promise<T>): Promise<T> {
    const waiting = cancellation.orCancelled(this.queue);
    const turn = waiting.then(async () => {
      if (this.broken) throw this.broken;
      if (!this.core) throw new FuselaneError('internal-error', 'the core was not started');
      const core = await this.core;
      try {
        return await task(core);
      } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) throw this.trapped(error);
        throw error;
      }
    });
    // One that is cancelled while it waits ends before those that it waits for: the next one waits for both.
    this.queue = Promise.allSettled([this.queue, turn]);
    return turn;
  }

  private trapped(error: WebAssembly.RuntimeError): FuselaneError {
    const message = `the engine stopped (${reasonOf(error)}), which is a mistake in it: make a new engine and report what led to this`;
    this.broken = new FuselaneError('internal-error', message, {}, error);
    return this.broken;
  }

  private load(
    { call, heap }: Core,
    reader: Reader,
    name: string,
    { knobs, strict }: Pick<Calls['load']['request'], 'knobs' | 'strict'>,
    flag: CancelFlag | undefined,
  ): Calls['load']['result'] {
    const start = performance.now();
    const loaded = explained(name, reader, flag, () =>
      call.load(heapReader(stoppable(reader, flag), heap), name, knobs, strict),
    );
    this.models.set(loaded.model, {
      outputs: loaded.outputs.map((port: Port) => port.name),
      install: 0,
    });
    const ms = (performance.now() - start).toFixed(0);
    this.log(`load: ${name}, ${reader.size} bytes, ${ms} ms, heap ${(heap.bytes / 2 ** 20).toFixed(0)} MB`);
    return loaded;
  }

  private async run(
    core: Core,
    request: Calls['run']['request'],
    cancellation: Cancellation,
    flag: CancelFlag | undefined,
  ): Promise<ResultMessage[]> {
    const { model, keep } = request;
    core.watch(flag);
    const copies: FeedTensor[] = [];
    try {
      const feeds = request.feeds.map((feed) => ({ name: feed.name, tensor: this.fed(core, feed, copies) }));
      const wanted = request.outputs && [...new Set([...request.outputs, ...keep])];
      const named = wanted ?? [...new Set([...(this.models.get(model)?.outputs ?? []), ...keep])];
      await this.walk(core, model, { feeds, outputs: wanted || keep.length ? named : [] }, cancellation);
      return collect(core, model, named, new Set(keep));
    } finally {
      this.feedTensors.give(core, copies);
    }
  }

  private async profile(
    core: Core,
    request: Calls['profile']['request'],
    cancellation: Cancellation,
    flag: CancelFlag | undefined,
  ): Promise<Profile> {
    const { model, runs } = request;
    core.watch(flag);
    const copies: FeedTensor[] = [];
    const timed: TimedRun[] = [];
    try {
      const feeds = request.feeds.map((feed) => ({ name: feed.name, tensor: this.fed(core, feed, copies) }));
      for (let run = 0; run <= runs; run++) {
        const start = performance.now();
        await this.walk(core, model, { feeds, outputs: [], timed: true }, cancellation);
        const milliseconds = performance.now() - start;
        if (run > 0) timed.push({ milliseconds, steps: core.call.steps(model).steps });
      }
    } finally {
      this.feedTensors.give(core, copies);
    }
    const profile = summary(timed);
    const held = this.models.get(model);
    if (held) held.profile = profile;
    return profile;
  }

  /** A fed tensor's number; one that was fed by its data is added to `copies`. */
  private fed(core: Core, { value }: FeedMessage, copies: FeedTensor[]): number {
    if ('tensor' in value) return value.tensor;
    const copy = this.feedTensors.take(core, value.type, value.dims);
    copies.push(copy);
    core.heap.copyIn(copy.pointer, value.data);
    return copy.tensor;
  }

  private async install(core: Core, model: number): Promise<void> {
    const start = performance.now();
    await installKernels(core);
    const held = this.models.get(model);
    if (held) held.install += performance.now() - start;
  }

  /** One run from its start to its end, returning to the event loop now and then. */
  private async walk(
    core: Core,
    model: number,
    { feeds, outputs, timed = false }: RunStart,
    cancellation: Cancellation,
  ): Promise<void> {
    let { kernels } = core.call.start(model, feeds, outputs, timed);
    for (let done = false; !done;) {
      if (kernels) await this.install(core, model);
      if (cancellation.cancelled) throw cancelled();
      ({ done, kernels } = core.call.advance(model, kSliceMilliseconds));
      if (!done && !kernels) await this.parts.pause();
    }
  }
}

const isRaised = (flag: CancelFlag | undefined): boolean => !!flag && Atomics.load(flag, 0) > 0;

/** A load reads weights to its end: a raised flag ends it there. */
function stoppable(reader: Reader, flag: CancelFlag | undefined): Reader {
  return {
    size: reader.size,
    read: (offset, destination) => {
      if (isRaised(flag)) throw cancelled();
      reader.read(offset, destination);
    },
    close: () => reader.close(),
  };
}

/** Says of what is no model its name, and what the server said that gave it. */
function explained<T>(name: string, reader: Reader, flag: CancelFlag | undefined, load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (isRaised(flag)) throw cancelled();
    if (!(error instanceof FuselaneError) || error.code !== 'invalid-model') throw error;
    const answer = reader.answer === undefined ? '' : ` (it was answered with ${reader.answer})`;
    const message = `${name}: ${error.message}${answer}`;
    throw new FuselaneError(error.code, message, { ...error, subject: error.subject ?? name }, error);
  }
}

/** The results; when one cannot be had, the ones kept before are given back. */
function collect({ call, heap }: Core, model: number, names: string[], keep: Set<string>): ResultMessage[] {
  const kept: number[] = [];
  try {
    return names.map((name) => {
      const { type, dims, pointer, bytes } = call.output(model, name);
      if (!keep.has(name)) return { name, value: { type, dims, data: heap.copyOut(pointer, bytes) } };
      const { tensor } = call.keep(model, name);
      kept.push(tensor);
      return { name, value: { type, dims, tensor } };
    });
  } catch (error) {
    for (const tensor of kept) call.release(tensor);
    throw error;
  }
}

/** The buffers of results or feeds, which move to the receiver. */
function buffersOf(result: Calls[Kind]['result'] | FeedMessage[]): ArrayBuffer[] {
  if (result instanceof ArrayBuffer) return [result];
  if (!Array.isArray(result)) return [];
  return result.flatMap(({ value }) => ('data' in value ? [value.data] : []));
}
