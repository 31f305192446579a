// `fuselane run FILE`: runs a model, or a kernel's text, once or more and shows, or writes, what comes out.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FuselaneError, load, type EngineOptions, type Tensor } from 'fuselane';
import { makeFeeds } from './inputs.js';
import { writeNpy } from './npy.js';
import { runText, type TextOptions, type TextRun } from './run_text.js';
import { median, milliseconds, spread, tensorText } from './text.js';
import { isText } from './workbench.js';

interface Options extends TextOptions {
  input?: string[];
  outputDir?: string;
  threads?: number;
  simd: NonNullable<EngineOptions['simd']>;
  json?: boolean;
}

export async function run(file: string, options: Options): Promise<void> {
  const { results, loadMs, runMs, notes, disagreement } = await (isText(file)
    ? runText(file, options)
    : runModel(file, options));
  const files = options.outputDir === undefined ? {} : writeAll(results, options.outputDir);
  if (options.json) printJson(file, results, files, loadMs, runMs, notes);
  else printText(results, files, loadMs, runMs, notes);
  if (disagreement !== undefined) throw new FuselaneError('invalid-data', disagreement);
}

async function runModel(file: string, options: Options): Promise<TextRun> {
  for (const name of ['at', 'of', 'size', 'schedule'] as const) {
    if (options[name] === undefined) continue;
    throw new FuselaneError('invalid-argument', `--${name} is for texts, and ${file} is none`, {
      subject: name,
    });
  }
  const start = performance.now();
  const { threads, simd } = options;
  const model = await load(file, { simd, ...(threads !== undefined && { threads }) });
  const loadMs = performance.now() - start;
  const feeds = makeFeeds(model.inputs, options.input ?? [], options.seed);
  const runMs: number[] = [];
  let results: Record<string, Tensor> = {};
  for (let i = 0; i < options.repeat; i++) {
    const begin = performance.now();
    results = await model.run(feeds);
    runMs.push(performance.now() - begin);
  }
  await model.dispose();
  return { results, loadMs, runMs, notes: [] };
}

/** Writes each output to a file named after it; what file names cannot hold becomes "_". */
function writeAll(results: Record<string, Tensor>, folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  const files: Record<string, string> = {};
  for (const [name, tensor] of Object.entries(results)) {
    const plain = name.replace(/[^\w.-]/g, '_');
    const taken = Object.values(files);
    let path = join(folder, `${plain}.npy`);
    for (let i = 2; taken.includes(path); i++) path = join(folder, `${plain}-${i}.npy`);
    writeFileSync(path, writeNpy(tensor));
    files[name] = path;
  }
  return files;
}

function printText(
  results: Record<string, Tensor>,
  files: Record<string, string>,
  loadMs: number,
  runMs: readonly number[],
  notes: readonly string[],
): void {
  for (const [name, tensor] of Object.entries(results)) {
    const written = files[name];
    console.log(tensorText(name, tensor) + (written === undefined ? '' : `  -> ${written}`));
  }
  const runs =
    runMs.length === 1
      ? `run ${milliseconds(median(runMs))}`
      : `${runMs.length} runs: first ${milliseconds(runMs[0] ?? NaN)}, median of the others ${milliseconds(median(runMs.slice(1)))}`;
  for (const note of notes) console.log(note);
  console.log(`load ${milliseconds(loadMs)}, ${runs}`);
}

function printJson(
  model: string,
  results: Record<string, Tensor>,
  files: Record<string, string>,
  loadMs: number,
  runMs: readonly number[],
  notes: readonly string[],
): void {
  const outputs = Object.entries(results).map(([name, { type, dims, data }]) => {
    return { name, type, dims, ...spread(data), file: files[name] };
  });
  console.log(JSON.stringify({ model, outputs, loadMs, runMs, ...(notes.length > 0 && { notes }) }, null, 2));
}
