// `fuselane run FILE.task|.loops|.low`: a kernel's text is run for sizes that are given, on inputs like those of a
// model, at one level: interpreted as loops or as instructions, or as the wasm that is emitted for it. What is not the
// loops' interpretation is compared with it.

import { FuselaneError, type Port, type SimdLevel, type Tensor } from 'fuselane';
import { makeFeeds } from './inputs.js';
import { kernelLevels, runKernel, type KernelLevel, type KernelRun } from './kernel_run.js';
import { readText } from './read.js';
import { Workbench, type CallBuffer, type KernelCall, type SizeValue } from './workbench.js';

export interface TextOptions {
  readonly at?: string;
  readonly of?: string;
  readonly size?: readonly string[];
  readonly schedule?: string;
  readonly input?: readonly string[];
  readonly seed: number;
  readonly repeat: number;
  readonly simd: SimdLevel | 'auto';
}

export interface TextRun {
  /** The buffers that are written. */
  readonly results: Record<string, Tensor>;
  readonly loadMs: number;
  readonly runMs: readonly number[];
  /** What was run, and what it was compared with. */
  readonly notes: readonly string[];
  /** Why it is wrong, if it is. */
  readonly disagreement?: string;
}

/** Errors: those of the workbench, and invalid-argument, which names the option. */
export async function runText(file: string, options: TextOptions): Promise<TextRun> {
  if (file.endsWith('.graph'))
    throw wrong('file', `${file} is a graph, and only kernels are run from their texts: run its model`);
  const workbench = await Workbench.open();
  const isLow = file.endsWith('.low');
  const text = readText(file);
  const texts = { text, of: isLow ? readText(loopsOf(file, options.of)) : text };
  const schedule = options.schedule === undefined ? {} : { schedule: readText(options.schedule) };
  const code = { simd: workbench.simdLevel(options.simd), ...schedule };
  const level = levelOf(options.at ?? (isLow ? 'low' : 'loops'), isLow);
  const call = workbench.call(texts.of, code, (options.size ?? []).map(sizeOf));
  const buffers = buffersOf(call, options);
  const run = runKernel(workbench, texts, code, call, buffers, level, options.repeat);
  const sizes = call.sizes.map(({ name, value }) => `${name}=${value}`).join(' ');
  const notes = [`${level}${level === 'loops' ? '' : `, SIMD ${code.simd}`}; sizes ${sizes}`];
  const result = { results: resultsOf(call, run), loadMs: run.loadMs, runMs: run.runMs, notes };
  if (level === 'loops') return result;
  const expected = runKernel(workbench, texts, code, call, buffers, 'loops', 1);
  const { note, agrees } = compare(call, run, expected);
  if (!agrees) return { ...result, disagreement: `${level} and the interpreted loops disagree: ${note}` };
  notes.push(`${level} and the interpreted loops agree: ${note}`);
  return result;
}

const wrong = (subject: string, message: string): FuselaneError =>
  new FuselaneError('invalid-argument', message, { subject });

function loopsOf(file: string, of: string | undefined): string {
  if (of !== undefined) return of;
  throw wrong(
    'of',
    `${file} does not say what its buffers are: give with --of the .loops or .task it is made of`,
  );
}

function levelOf(asked: string, isLow: boolean): KernelLevel {
  const levels = isLow ? kernelLevels.slice(1) : kernelLevels;
  const level = levels.find((known) => known === asked);
  if (level) return level;
  throw wrong('at', `the text is not run at level "${asked}": it is at ${levels.join(', ')}`);
}

function sizeOf(given: string): SizeValue {
  const [, name, value] = /^(\w+)=(\d+)$/.exec(given) ?? [];
  if (name !== undefined && value !== undefined) return { name, value: Number(value) };
  throw wrong('size', `--size ${given} must be name=number`);
}

const isDense = ({ dims, elements }: CallBuffer): boolean => dims.reduce((a, b) => a * b, 1) === elements;
const dimsOf = (buffer: CallBuffer): number[] => (isDense(buffer) ? [...buffer.dims] : [buffer.elements]);

/** What is read is fed, what is only written begins as zeros. */
function buffersOf(call: KernelCall, { input = [], seed }: TextOptions): Float32Array[] {
  const ports = call.buffers
    .filter(({ read }) => read)
    .map((buffer): Port => ({ name: buffer.name, type: 'float32', dims: dimsOf(buffer) }));
  const feeds = makeFeeds(ports, input, seed);
  for (const name of Object.keys(feeds)) {
    if (ports.some((port) => port.name === name)) continue;
    const names = ports.map((port) => port.name).join(', ');
    throw wrong('input', `the kernel reads no buffer "${name}"; it reads ${names}`);
  }
  return call.buffers.map(({ name, elements }) => {
    const feed = feeds[name];
    if (!feed) return new Float32Array(elements);
    if (feed.data instanceof Float32Array && feed.data.length === elements) return feed.data;
    const given = `${feed.type ?? 'other'} [${feed.dims.join(', ')}]`;
    throw wrong(
      'input',
      `buffer "${name}" takes ${elements} elements of float32 with these sizes, not ${given}`,
    );
  });
}

function resultsOf(call: KernelCall, { buffers }: KernelRun): Record<string, Tensor> {
  const results: Record<string, Tensor> = {};
  call.buffers.forEach((buffer, i) => {
    const data = buffers[i];
    if (buffer.written && data)
      results[buffer.name] = { type: 'float32', dims: dimsOf(buffer), data } as Tensor;
  });
  return results;
}

/** Sums may be taken in another order, and products rounded once with what they are added to. */
const tolerance = 1e-4;

function compare(call: KernelCall, run: KernelRun, expected: KernelRun): { note: string; agrees: boolean } {
  let [note, agrees, largest] = ['the same bits', true, 0];
  call.buffers.forEach(({ name }, b) => {
    const values = run.buffers[b] ?? new Float32Array();
    const wanted = expected.buffers[b] ?? new Float32Array();
    const scale = wanted.reduce(
      (most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most),
      1,
    );
    values.forEach((value, i) => {
      const other = wanted[i] ?? NaN;
      if (Object.is(value, other) || (agrees && value === other)) return;
      const apart = Math.abs(value - other);
      const share = Number.isNaN(apart) ? Infinity : apart / scale;
      if (share <= largest) return;
      largest = share;
      agrees = share <= tolerance;
      note = agrees
        ? `${name}[${i}] is ${apart.toPrecision(2)} apart, the most`
        : `${name}[${i}] is ${value}, and ${other} as loops`;
    });
  });
  return { note, agrees };
}
