// The entry for Node. Importing it does nothing.

import { createEngineOn, loadOn } from './api.js';
import { nodePlatform } from './node_platform.js';
import type { Engine, EngineOptions, LoadOptions, Model, Source } from './types.js';

export { FuselaneError, type ErrorCode, type ErrorPlace } from './errors.js';
export { knobs } from './knobs.js';
export type {
  DetailedReport, DType, DumpOptions, Engine, EngineOptions, Feeds, KeptTensor, Knobs, LoadOptions, Model, NodeName, NodeWorker, Port, Preparation, Profile,
  ProfileOptions, Progress, Report, ReportDetail, ReportOptions, Results, RunOptions, SimdLevel, Source, Step, StepTime, Tensor, TensorData, TensorInput,
} from './types.js'; // prettier-ignore

/** An engine for several models, which can feed each other kept tensors. */
export function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return createEngineOn(nodePlatform, options);
}

/** Loads a model into an engine of its own. */
export function load(source: Source, options: EngineOptions & LoadOptions = {}): Promise<Model> {
  return loadOn(nodePlatform, source, options);
}
