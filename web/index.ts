// The entry for pages and their workers. Importing it does nothing.

import { createEngineOn, loadOn } from './api.js';
import { webPlatform } from './web_platform.js';
import type { Engine, EngineOptions, LoadOptions, Model, Source } from './types.js';

export { FuselaneError, type ErrorCode, type ErrorPlace } from './errors.js';
export type {
  DType, DumpOptions, Engine, EngineOptions, Feeds, KeptTensor, Knobs, LoadOptions, Model, NodeWorker, Port, Progress, Report, Results, RunOptions, SimdLevel,
  Source, Tensor, TensorData, TensorInput,
} from './types.js'; // prettier-ignore

/** An engine for several models, which can feed each other kept tensors. */
export function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return createEngineOn(webPlatform, options);
}

/** Loads a model into an engine of its own. */
export function load(source: Source, options: EngineOptions & LoadOptions = {}): Promise<Model> {
  return loadOn(webPlatform, source, options);
}
