// What each optimization is worth: the time with it switched off beside the time with all of them. Rounds alternate, so
// that a machine that grows slower meets all of them; ratios are of the same round.

import {
  knobs,
  load,
  type EngineOptions,
  type Feeds,
  type Knobs,
  type Model,
  type Port,
  type SimdLevel,
} from 'fuselane';
import { median } from '../text.js';

interface Setting {
  /** What is switched off. */
  readonly off: string;
  readonly how: string;
  readonly engine: EngineOptions;
  readonly knobs: Knobs;
}

export interface AblationRow {
  readonly off: string;
  /** The option that does it. */
  readonly how: string;
  /** Median over the rounds. */
  readonly milliseconds: number;
  /** To the full configuration: the median of the rounds, and their least and greatest. */
  readonly ratio: number;
  readonly least: number;
  readonly greatest: number;
}

export interface Ablation {
  readonly rounds: number;
  /** The full configuration. */
  readonly milliseconds: number;
  readonly rows: readonly AblationRow[];
  /** What cannot be switched off here, and why. */
  readonly notes: readonly string[];
}

/** These put references in the place of kernels, which are no optimization left out but another program. */
const replacing: readonly string[] = ['kernels', 'generated'];

/** Each optimization that is an option of engines or a knob, and why others are not here. */
function settingsOf(threads: number, simd: SimdLevel): { settings: Setting[]; notes: string[] } {
  const settings: Setting[] = [];
  const notes: string[] = [];
  const engine = { threads, simd };
  if (simd === 'none') notes.push('vectorization is off: --simd none');
  else
    settings.push({ off: 'vectorization', how: 'simd none', engine: { threads, simd: 'none' }, knobs: {} });
  if (simd === 'relaxed')
    settings.push({
      off: 'relaxed SIMD',
      how: 'simd baseline',
      engine: { threads, simd: 'baseline' },
      knobs: {},
    });
  else notes.push('relaxed SIMD is off, or is not there');
  if (threads > 1)
    settings.push({ off: 'parallelization', how: 'threads 1', engine: { threads: 1, simd }, knobs: {} });
  else notes.push('parallelization is off: the engine has one thread');
  settings.push({ off: 'passes', how: 'knob passes none', engine, knobs: { passes: 'none' } });
  for (const [name, kind] of Object.entries(knobs))
    if (kind === 'boolean' && !replacing.includes(name))
      settings.push({ off: name, how: `knob ${name} false`, engine, knobs: { [name]: false } });
  return { settings, notes };
}

/** `feedsOf` makes what the models are run on. Errors: those of load and profile. */
export async function ablation(
  file: string,
  { threads, simd, rounds }: { threads: number; simd: SimdLevel; rounds: number },
  feedsOf: (inputs: readonly Port[]) => Feeds,
): Promise<Ablation> {
  const { settings, notes } = settingsOf(threads, simd);
  const full: Setting = { off: '', how: '', engine: { threads, simd }, knobs: {} };
  const models: Model[] = [];
  const times: number[][] = [full, ...settings].map(() => []);
  try {
    for (const { engine, knobs } of [full, ...settings]) models.push(await load(file, { ...engine, knobs }));
    for (let round = 0; round < rounds; round++) {
      for (const [i, model] of models.entries()) {
        const { milliseconds } = await model.profile(feedsOf(model.inputs), { runs: 1 });
        times[i]?.push(milliseconds);
      }
    }
  } finally {
    for (const model of models) await model.dispose();
  }
  const [own = [], ...others] = times;
  return { rounds, milliseconds: median(own), rows: settings.map((setting, i) => rowOf(setting, others[i] ?? [], own)), notes }; // prettier-ignore
}

function rowOf({ off, how }: Setting, times: readonly number[], own: readonly number[]): AblationRow {
  const ratios = times.map((time, round) => time / (own[round] ?? NaN));
  const [least, greatest] = [Math.min(...ratios), Math.max(...ratios)];
  return { off, how, milliseconds: median(times), ratio: median(ratios), least, greatest };
}

/** The greatest effect first. What is below 1 is faster without. */
export function ablationLines({ rounds, milliseconds, rows, notes }: Ablation): string[] {
  const width = Math.max(15, ...rows.map(({ off }) => off.length));
  const line = (off: string, time: string, ratio: string, spread: string, how: string): string =>
    `${off.padEnd(width)}  ${time.padStart(10)}  ${ratio.padStart(6)}  ${spread.padStart(13)}  ${how}`.trimEnd();
  const sorted = [...rows].sort((a, b) => b.ratio - a.ratio);
  return [
    `one thing switched off at a time, ${rounds} rounds in turn; ratios are to all on in the same round`,
    line('off', 'median ms', 'ratio', 'least - most', ''),
    line('nothing', milliseconds.toFixed(3), '1.00', '', ''),
    ...sorted.map((row) =>
      line(
        row.off,
        row.milliseconds.toFixed(3),
        row.ratio.toFixed(2),
        `${row.least.toFixed(2)} - ${row.greatest.toFixed(2)}`,
        row.how,
      ),
    ),
    ...notes.map((note) => `not measured: ${note}`),
  ];
}
