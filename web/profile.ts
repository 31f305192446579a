// Many timed runs of the same steps become one profile, whose times are part of a detailed report.

import { FuselaneError } from './errors.js';
import type { Profile, ReportDetail, Step } from './types.js';

export interface TimedRun {
  readonly milliseconds: number;
  readonly steps: readonly Step[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

function untimed(step: Step): Step {
  const copy: { -readonly [Name in keyof Step]: Step[Name] } = { ...step };
  delete copy.milliseconds;
  return copy;
}

/** All but the times, as text. */
const textOf = (steps: readonly Step[]): string => JSON.stringify(steps.map(untimed));

/** Errors: unsupported-model. */
export function summary(runs: readonly TimedRun[]): Profile {
  const steps = runs[0]?.steps ?? [];
  const text = textOf(steps);
  if (!runs.every((run) => textOf(run.steps) === text)) {
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

/** `steps` are those of the last run, `profile` the last one that was taken: its times are of other steps otherwise. */
export function detailOf(steps: readonly Step[], profile: Profile | undefined): ReportDetail {
  const measured = profile && textOf(profile.steps) === textOf(steps) ? profile : undefined;
  return {
    steps: measured?.steps ?? steps.map(untimed),
    groups: new Set(steps.flatMap(({ group }) => group ?? [])).size,
    conversions: steps.filter(({ nodes }) => nodes.length === 0).length,
    barriers: new Set(steps.filter(({ chunks }) => chunks > 1).map(({ stage }) => stage)).size,
    ...(measured && { milliseconds: measured.milliseconds, runs: measured.runs }),
  };
}
