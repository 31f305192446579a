// The entry for service workers, which may import nothing after they are installed: as index.ts, with the host in the
// calling thread imported at once. They cannot make workers, so that only `worker: false` works.

import { createEngineOn, loadOn } from './api.js';
import { hostHere } from './web_here.js';
import { webPlatform } from './web_platform.js';
import type { Engine, EngineOptions, LoadOptions, Model, Source } from './types.js';

export { FuselaneError, type ErrorCode, type ErrorPlace } from './errors.js';
export type * from './types.js';

const platform = webPlatform(hostHere);

/** An engine for several models, which can feed each other kept tensors. */
export function createEngine(options: EngineOptions = {}): Promise<Engine> {
  return createEngineOn(platform, options);
}

/** Loads a model into an engine of its own. */
export function load(source: Source, options: EngineOptions & LoadOptions = {}): Promise<Model> {
  return loadOn(platform, source, options);
}
