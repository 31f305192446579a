// The API: engines, models and kept tensors, which turn calls into messages. Platforms (pages, Node) say where a host
// runs and what a source's text means.

import { Connection, type OpenChannel } from './connection.js';
import { cancelled, FuselaneError, fromPlain, type PlainError } from './errors.js';
import type { Calls, FeedMessage, KeptMessage, ResultMessage, WasmLocation } from './messages.js';
import {
  checkOptions,
  dumpOptions,
  engineOptions,
  loadOptions,
  profileOptions,
  reportOptions,
  runOptions,
} from './options.js';
import { bytesOf, sourceMessage, type Locate } from './source.js';
import { arrayOf, packFeed } from './tensors.js';
import type {
  DetailedReport, DType, DumpOptions, Engine, EngineOptions, Feeds, KeptTensor, LoadOptions, Model, Port, Profile, ProfileOptions, Report, ReportOptions, Results, RunOptions, Source, Tensor, TensorData,
} from './types.js'; // prettier-ignore

export interface Platform {
  readonly openChannel: (options: EngineOptions) => OpenChannel;
  /** What a URL or path is, seen from here. */
  readonly locate: Locate;
}

/** A call on something disposed of. */
const gone = (what: string): PlainError => ({
  code: 'disposed',
  message: `${what} was disposed of: no call on it can be answered`,
});

export async function createEngineOn(platform: Platform, options: EngineOptions): Promise<EngineClient> {
  checkOptions('createEngine', options, engineOptions);
  const engine = await EngineClient.open(platform, options);
  try {
    await engine.start(options);
    return engine;
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}

/** A model with an engine of its own. */
export async function loadOn(
  platform: Platform,
  source: Source,
  options: EngineOptions & LoadOptions,
): Promise<Model> {
  checkOptions('load', options, { ...engineOptions, ...loadOptions });
  const engine = await EngineClient.open(platform, options);
  try {
    // The model is downloaded while the core is fetched and compiled. Where both fail, the engine's error is told.
    const started = engine.start(options, options.signal);
    const loading = engine.loadChecked(source, options, true);
    loading.catch(() => {}); // looked at below, once the engine has started
    await started;
    return await loading;
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}

function wasmLocation(platform: Platform, options: EngineOptions): WasmLocation {
  if (options.wasmModule) return { module: options.wasmModule };
  if (options.wasmBinary) return { binary: bytesOf(options.wasmBinary).slice().buffer };
  if (options.wasmUrl === undefined) return {};
  const place = platform.locate(options.wasmUrl);
  return { url: place.kind === 'path' ? place.path : place.url };
}

class EngineClient implements Engine {
  private constructor(
    private readonly platform: Platform,
    readonly connection: Connection,
  ) {}

  /** An engine that start() is to be called on first; other calls may follow it at once, and wait for it. */
  static async open(platform: Platform, options: EngineOptions): Promise<EngineClient> {
    return new EngineClient(platform, await Connection.open(platform.openChannel(options), options.log));
  }

  async start(options: EngineOptions, signal?: AbortSignal): Promise<void> {
    const request = {
      wasm: wasmLocation(this.platform, options),
      log: options.log !== undefined,
      threads: options.threads ?? null,
      simd: options.simd ?? 'auto',
    };
    await this.connection.call('start', request, signal && { signal });
  }

  async load(source: Source, options: LoadOptions = {}): Promise<Model> {
    checkOptions('engine.load', options, loadOptions);
    return this.loadChecked(source, options, false);
  }

  async loadChecked(source: Source, options: LoadOptions, owned: boolean): Promise<Model> {
    const { message, name } = await sourceMessage(source, this.platform.locate, options);
    const transfer = message.kind === 'chunks' ? [...message.chunks] : [];
    const strict = options.precision === 'strict';
    const request = { source: message, name, knobs: options.knobs ?? {}, strict };
    const loaded = await this.connection.call('load', request, options, transfer);
    const model = new ModelClient(this, loaded, owned);
    // It was loaded before the host could see that it was not wanted any more.
    if (options.signal?.aborted) {
      await model.dispose();
      throw cancelled(options.signal.reason);
    }
    return model;
  }

  dispose(): Promise<void> {
    return this.connection.dispose(gone('the engine'));
  }
}

class ModelClient implements Model {
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  readonly #engine: EngineClient;
  readonly #id: number;
  readonly #ownsEngine: boolean;
  #disposed = false;

  constructor(engine: EngineClient, loaded: Calls['load']['result'], ownsEngine: boolean) {
    this.#engine = engine;
    this.#id = loaded.model;
    this.#ownsEngine = ownsEngine;
    this.inputs = loaded.inputs;
    this.outputs = loaded.outputs;
  }

  get #connection(): Connection {
    if (this.#disposed) throw fromPlain(gone('the model'));
    return this.#engine.connection;
  }

  run(feeds: Feeds, options?: Omit<RunOptions, 'keep'>): Promise<Record<string, Tensor>>;
  run<Kept extends string>(feeds: Feeds, options: RunOptions<Kept>): Promise<Results<Kept>>;
  async run(feeds: Feeds, options: RunOptions = {}): Promise<Record<string, Tensor | KeptTensor>> {
    const connection = this.#connection;
    checkOptions('model.run', options, runOptions);
    const packed = packFeeds(feeds, this.inputs, this.#engine);
    const request = {
      model: this.#id,
      feeds: packed,
      outputs: options.outputs ? [...options.outputs] : null,
      keep: [...(options.keep ?? [])],
    };
    const transfer = packed.flatMap(({ value }) => ('data' in value ? [value.data] : []));
    const signal = options.signal && { signal: options.signal };
    const results = await connection.call('run', request, signal, transfer);
    const values = results.map(({ name, value }) => [name, this.#result(value)] as const);
    if (options.signal?.aborted) {
      for (const [, value] of values) if (value instanceof KeptClient) await value.dispose();
      throw cancelled(options.signal.reason);
    }
    return Object.fromEntries(values);
  }

  #result(value: ResultMessage['value']): Tensor | KeptTensor {
    if ('tensor' in value) return new KeptClient(this.#engine, value);
    const { type, dims, data } = value;
    return { type, dims: [...dims], data: arrayOf(type, data) };
  }

  report(options: ReportOptions & { readonly detail: true }): Promise<DetailedReport>;
  report(options?: ReportOptions): Promise<Report>;
  async report(options: ReportOptions = {}): Promise<Report> {
    const connection = this.#connection;
    checkOptions('model.report', options, reportOptions);
    return connection.call('report', { model: this.#id, detail: options.detail ?? false });
  }

  async profile(feeds: Feeds, options: ProfileOptions = {}): Promise<Profile> {
    const connection = this.#connection;
    checkOptions('model.profile', options, profileOptions);
    const { runs = 10, signal } = options;
    const packed = packFeeds(feeds, this.inputs, this.#engine);
    const transfer = packed.flatMap(({ value }) => ('data' in value ? [value.data] : []));
    const request = { model: this.#id, feeds: packed, runs };
    return connection.call('profile', request, signal && { signal }, transfer);
  }

  async dump(level: string, options: DumpOptions = {}): Promise<string> {
    const connection = this.#connection;
    checkOptions('model.dump', options, dumpOptions);
    if (typeof level !== 'string')
      throw new FuselaneError('invalid-argument', 'model.dump takes a level: "graph" or "plan"', {
        subject: 'level',
      });
    return connection.call('dump', { model: this.#id, level, pass: options.pass ?? '' });
  }

  async dispose(): Promise<void> {
    const { connection } = this.#engine;
    if (this.#disposed || connection.hasEnded) return;
    this.#disposed = true;
    if (this.#ownsEngine) await connection.dispose(gone('the model'));
    else await connection.call('dispose', { model: this.#id });
  }
}

class KeptClient implements KeptTensor {
  readonly type: DType;
  readonly dims: readonly number[];
  readonly #engine: EngineClient;
  readonly #tensor: number;
  #disposed = false;

  constructor(engine: EngineClient, kept: KeptMessage) {
    this.#engine = engine;
    this.#tensor = kept.tensor;
    this.type = kept.type;
    this.dims = kept.dims;
  }

  /** The number of it in an engine; nothing when it belongs to another. Error: disposed. */
  numberIn(engine: EngineClient): number | undefined {
    if (this.#disposed) throw fromPlain(gone('the kept tensor'));
    return this.#engine === engine ? this.#tensor : undefined;
  }

  async data(): Promise<TensorData> {
    if (this.#disposed) throw fromPlain(gone('the kept tensor'));
    return arrayOf(this.type, await this.#engine.connection.call('read', { tensor: this.#tensor }));
  }

  async dispose(): Promise<void> {
    const { connection } = this.#engine;
    if (this.#disposed || connection.hasEnded) return;
    this.#disposed = true;
    await connection.call('release', { tensor: this.#tensor });
  }
}

function packFeeds(feeds: unknown, inputs: readonly Port[], engine: EngineClient): FeedMessage[] {
  if (typeof feeds !== 'object' || feeds === null || Array.isArray(feeds)) {
    const message = 'run takes an object with a tensor for each input, such as { input: { dims, data } }';
    throw new FuselaneError('invalid-argument', message, { subject: 'feeds' });
  }
  return Object.entries(feeds as Feeds).map(([name, value]) => {
    if (!(value instanceof KeptClient)) {
      const port = inputs.find((input) => input.name === name);
      return packFeed(name, value, port, engine.connection.buffers);
    }
    const tensor = value.numberIn(engine);
    if (tensor !== undefined) return { name, value: { tensor } };
    const message = `the kept tensor for input "${name}" belongs to another engine: load both models with the same engine, or feed { dims, data: await kept.data() }`;
    throw new FuselaneError('invalid-input', message, { subject: name });
  });
}
