// Checks options: an unknown name is refused with the nearest known one, a value of the wrong kind with the right kind.

import { FuselaneError } from './errors.js';
import { knobs } from './knobs.js';
import type {
  DumpOptions,
  EngineOptions,
  LoadOptions,
  ProfileOptions,
  ReportOptions,
  RunOptions,
} from './types.js';

interface Rule {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
  /** Of an option that is an object with options of its own. */
  readonly members?: Readonly<Record<string, Rule>>;
}

export type OptionTable<Options> = { readonly [K in keyof Required<Options>]: Rule };

/** The core's (src/run/crew.h). */
const kMostThreads = 64;

const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

const aBoolean: Rule = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };
const aString: Rule = { expected: 'a string', accepts: (value) => typeof value === 'string' };
const aFunction: Rule = { expected: 'a function', accepts: (value) => typeof value === 'function' };
const names: Rule = {
  expected: 'an array of names of outputs',
  accepts: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
};
const signal: Rule = {
  expected: 'an AbortSignal',
  accepts: (value) => typeof value === 'object' && value !== null && 'aborted' in value,
};

/** The compiler checks that none is left out. */
const simdLevels: Record<NonNullable<EngineOptions['simd']>, true> = {
  auto: true,
  relaxed: true,
  baseline: true,
  none: true,
};

export const engineOptions: OptionTable<EngineOptions> = {
  worker: aBoolean,
  log: aFunction,
  wasmUrl: {
    expected: 'a URL or path',
    accepts: (value) => typeof value === 'string' || kindOf(value) === 'URL',
  },
  wasmBinary: {
    expected: 'the bytes of fuselane.wasm',
    accepts: (value) => ArrayBuffer.isView(value) || /ArrayBuffer$/.test(kindOf(value)),
  },
  wasmModule: {
    expected: 'a WebAssembly.Module',
    accepts: (value) => kindOf(value) === 'WebAssembly.Module',
  },
  createWorker: aFunction,
  threads: {
    expected: `a whole number from 1 to ${kMostThreads}`,
    accepts: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= kMostThreads,
  },
  simd: {
    expected: Object.keys(simdLevels).join(', '),
    accepts: (value) => typeof value === 'string' && Object.hasOwn(simdLevels, value),
  },
};

const aNumber: Rule = {
  expected: 'a number of 0 or more',
  accepts: (value) => typeof value === 'number' && value >= 0 && Number.isFinite(value),
};
const kindRules = { string: aString, boolean: aBoolean, number: aNumber };
const knobRules = Object.fromEntries(Object.entries(knobs).map(([name, kind]) => [name, kindRules[kind]]));

export const loadOptions: OptionTable<LoadOptions> = {
  precision: {
    expected: 'fast or strict',
    accepts: (value) => value === 'fast' || value === 'strict',
  },
  knobs: { expected: 'an object', accepts: (value) => kindOf(value) === 'Object', members: knobRules },
  onProgress: aFunction,
  signal,
};
export const dumpOptions: OptionTable<DumpOptions> = { pass: aString };
export const reportOptions: OptionTable<ReportOptions> = { detail: aBoolean };
export const profileOptions: OptionTable<ProfileOptions> = {
  runs: {
    expected: 'a whole number from 1 to 10000',
    accepts: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10000,
  },
  signal,
};
export const runOptions: OptionTable<RunOptions> = { outputs: names, keep: names, signal };

/** Errors: invalid-argument. An option that is undefined counts as left out. */
export function checkOptions(call: string, options: unknown, table: Readonly<Record<string, Rule>>): void {
  if (typeof options !== 'object' || options === null)
    throw new FuselaneError('invalid-argument', `the options of ${call} must be an object`);
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!rule) {
      const message = `${call} has no option "${name}"${nearest(name, Object.keys(table))}`;
      throw new FuselaneError('invalid-argument', message, { subject: name });
    }
    if (value !== undefined && !rule.accepts(value)) {
      const message = `the option "${name}" of ${call} must be ${rule.expected}, not ${typeof value === 'number' ? value : kindOf(value)}`;
      throw new FuselaneError('invalid-argument', message, { subject: name });
    }
    if (value !== undefined && rule.members) checkOptions(`${call}'s ${name}`, value, rule.members);
  }
}

/** A hint at the known name that takes the fewest edits, and all names when none is near. */
function nearest(name: string, known: readonly string[]): string {
  const distances = known.map((candidate) => ({
    candidate,
    distance: editDistance(name.toLowerCase(), candidate.toLowerCase()),
  }));
  const best = distances.reduce((a, b) => (b.distance < a.distance ? b : a));
  return best.distance <= Math.max(2, name.length / 3)
    ? `: did you mean "${best.candidate}"?`
    : `; the options are ${known.join(', ')}`;
}

/** Levenshtein's distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (const [i, char] of [...a].entries()) {
    let left = i + 1;
    row = row.map((above, j) => {
      if (j > 0) left = Math.min(left + 1, above + 1, (row[j - 1] ?? 0) + Number(char !== b[j - 1]));
      return left;
    });
  }
  return row.at(-1) ?? 0;
}
