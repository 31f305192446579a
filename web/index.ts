// The entry for pages and their workers. Importing it does nothing.

import { createEngineOn, loadOn } from './api.js';
import { FuselaneError, reasonOf } from './errors.js';
import { webPlatform } from './web_platform.js';
import type { Engine, EngineOptions, LoadOptions, Model, Source } from './types.js';

/** What `worker: false` needs is imported when it is wanted: 10 kB with brotli that most pages never load. */
const platform = webPlatform(async (listener) => {
  const { hostHere } = await import('./web_here.js').catch((error: unknown) => {
    const message = `what worker: false needs could not be imported (${reasonOf(error)}): in a service worker, which may import nothing later, import from fuselane/service-worker`;
    throw new FuselaneError('engine-unavailable', message, {}, error);
  });
  return hostHere(listener);
});

export { FuselaneError, type ErrorCode, type ErrorPlace } from './errors.js';
export { knobs } from './knobs.js';
export type {
  DetailedReport, DType, DumpOptions, Engine, EngineOptions, Feeds, KeptTensor, Knobs, LoadOptions, Model, NodeName, NodeWorker, Port, Preparation, Profile,
  ProfileOptions, Progress, Report, ReportDetail, ReportOptions, Results, RunOptions, SimdLevel, Source, Step, StepTime, Tensor, TensorData, TensorInput,
} from './types.js'; // prettier-ignore

/** An engine for several models, which can feed each other kept tensors. */
export function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return createEngineOn(platform, options);
}

/** Loads a model into an engine of its own. */
export function load(source: Source, options: EngineOptions & LoadOptions = {}): Promise<Model> {
  return loadOn(platform, source, options);
}
