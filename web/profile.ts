// Many timed runs of the same steps become one profile.

import { FuselaneError } from './errors.js';
import type { Profile, StepTime } from './types.js';

export interface TimedRun {
  readonly milliseconds: number;
  readonly steps: readonly StepTime[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** Errors: unsupported-model. */
export function summary(runs: readonly TimedRun[]): Profile {
  const steps = runs[0]?.steps ?? [];
  const same = runs.every(
    (run) => run.steps.length === steps.length && run.steps.every(({ node }, i) => node === steps[i]?.node),
  );
  if (!same) {
    const message =
      'the runs of this model do not take the same steps each time, so these have no median times';
    throw new FuselaneError('unsupported-model', message);
  }
  return {
    runs: runs.length,
    milliseconds: median(runs.map((run) => run.milliseconds)),
    steps: steps.map((step, i) => ({
      ...step,
      milliseconds: median(runs.map((run) => run.steps[i]?.milliseconds ?? NaN)),
    })),
  };
}
