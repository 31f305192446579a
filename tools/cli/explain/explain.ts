// `fuselane explain MODEL`: what the compiler has made of a model, how long each step takes and how near that is to what
// the machine can do, for inputs like those of `fuselane run`; or its structure without times; or what each optimization
// is worth.

import { FuselaneError, load, type EngineOptions, type Feeds, type Port } from 'fuselane';
import { makeFeeds } from '../inputs.js';
import { best, roofline } from '../roofline/roofline.js';
import { isText } from '../workbench.js';
import { ablation, ablationLines } from './ablation.js';
import { peaksOf, rowsOf, slowest, totalsOf, type Row } from './rows.js';
import { structureText } from './structure.js';
import { stepLines, tableLines, totalLines } from './table.js';

interface Options {
  input?: string[];
  threads?: number;
  simd?: NonNullable<EngineOptions['simd']>;
  runs: number;
  top?: number;
  step?: number;
  structure?: boolean;
  ablation?: boolean;
  json?: boolean;
}

/** The same on every machine: the fewest threads that have barriers, and instructions that are everywhere. */
const kStructure = { threads: 2, simd: 'baseline' } as const;

/** Of a table that goes to no terminal. */
const kWidth = 160;

export async function explain(file: string, options: Options): Promise<void> {
  if (isText(file))
    throw wrong(
      'model',
      `${file} is the text of a kernel, and explain takes models: fuselane dump shows texts`,
    );
  const given = (['structure', 'ablation', 'step', 'top'] as const).filter(
    (name) => options[name] !== undefined,
  );
  if (given.length > 1)
    throw wrong(given[1] ?? '', `--${given[0]} and --${given[1]} ask for different things: give one of them`);
  const feedsOf = (inputs: readonly Port[]): Feeds => makeFeeds(inputs, options.input ?? [], 1);
  if (options.structure) await explainStructure(file, options, feedsOf);
  else if (options.ablation) await explainAblation(file, options, feedsOf);
  else await explainTimes(file, options, feedsOf);
}

type FeedsOf = (inputs: readonly Port[]) => Feeds;

const wrong = (subject: string, message: string): FuselaneError =>
  new FuselaneError('invalid-argument', message, { subject });

const printJson = (value: unknown): void => console.log(JSON.stringify(value, null, 2));

async function explainStructure(file: string, options: Options, feedsOf: FeedsOf): Promise<void> {
  const { threads = kStructure.threads, simd = kStructure.simd } = options;
  const model = await load(file, { threads, simd });
  try {
    await model.run(feedsOf(model.inputs));
    const report = await model.report({ detail: true });
    if (options.json) printJson({ model: file, report });
    else process.stdout.write(structureText(report.detail, report));
  } finally {
    await model.dispose();
  }
}

const engineOptions = ({ threads, simd = 'auto' }: Options): EngineOptions => ({
  simd,
  ...(threads !== undefined && { threads }),
});

/** The machine is measured before and after: something else may run at one of these times. */
async function measured(file: string, options: Options, feedsOf: FeedsOf) {
  const model = await load(file, engineOptions(options));
  try {
    const { threads, simd } = await model.report();
    const before = await roofline(threads, simd === 'relaxed');
    await model.profile(feedsOf(model.inputs), { runs: options.runs });
    const report = await model.report({ detail: true });
    const after = await roofline(threads, simd === 'relaxed');
    return { report, peaks: peaksOf(best(before, after), simd) };
  } finally {
    await model.dispose();
  }
}

async function explainTimes(file: string, options: Options, feedsOf: FeedsOf): Promise<void> {
  const { report, peaks } = await measured(file, options, feedsOf);
  const { detail, threads, simd } = report;
  const rows = rowsOf(detail, peaks);
  const totals = totalsOf(detail, peaks);
  const shown = chosen(rows, options);
  if (options.json) {
    const steps = shown.map(({ step, ...row }) => ({ ...step, ...row }));
    printJson({ model: file, report: { ...report, detail: { ...detail, steps } }, peaks, totals });
    return;
  }
  const ms = (detail.milliseconds ?? NaN).toFixed(3);
  console.log(
    `${file}: ${ms} ms a run (median of ${detail.runs ?? 0}), ${totals.milliseconds.toFixed(3)} of them in ${detail.steps.length} steps`,
  );
  console.log(
    `threads ${threads}, SIMD ${simd}; groups of nodes ${detail.groups}, changes of layout ${detail.conversions}, barriers ${detail.barriers}\n`,
  );
  for (const line of tableLines(shown, process.stdout.columns ?? kWidth)) console.log(line);
  if (options.step !== undefined) for (const row of shown) console.log(`\n${stepLines(row).join('\n')}`);
  console.log(`\n${totalLines(totals, peaks).join('\n')}`);
}

function chosen(rows: readonly Row[], { top, step }: Options): readonly Row[] {
  if (top !== undefined) return slowest(rows, top);
  if (step === undefined) return rows;
  const row = rows.find(({ number }) => number === step);
  if (row) return [row];
  throw wrong('step', `the model has no step ${step}: its steps are 1 to ${rows.length}`);
}

async function explainAblation(file: string, options: Options, feedsOf: FeedsOf): Promise<void> {
  const model = await load(file, engineOptions(options));
  const { threads, simd } = await model.report();
  await model.dispose();
  const result = await ablation(file, { threads, simd, rounds: options.runs }, feedsOf);
  if (options.json) printJson({ model: file, threads, simd, ...result });
  else console.log(`${file}: ${threads} threads, SIMD ${simd}\n${ablationLines(result).join('\n')}`);
}
