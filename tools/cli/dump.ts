// `fuselane dump FILE --at=LEVEL`: a model, one of its kernels, or a text that another dump has written, as text at one
// level of the compiler. `--pass` picks a state of a model's graph; plans and kernels are made for shapes, so the model
// is run once on inputs like those of `fuselane run`.

import { writeFileSync } from 'node:fs';
import { FuselaneError, load, type EngineOptions, type Model } from 'fuselane';
import { makeFeeds } from './inputs.js';
import { findKernel, kernelsOf, stepsText, type ModelKernel } from './kernels.js';
import { readText } from './read.js';
import { isText, Workbench, type WorkbenchOptions } from './workbench.js';

interface Options {
  at: string;
  pass?: string;
  kernel?: string;
  input?: string[];
  simd: NonNullable<EngineOptions['simd']>;
  schedule?: string;
  output?: string;
  json?: boolean;
}

/** What is printed, and with --json what that is made of. */
interface Dumped {
  readonly text: string | Uint8Array;
  readonly kernels?: readonly (ModelKernel & { readonly text?: string })[];
}

/** The levels of a model that the engine prints; those below are of its kernels. */
const modelLevels = ['graph', 'plan'];
const kernelLevels = ['tasks', 'schedule', 'loops', 'low', 'wat', 'wasm'];

export async function dump(file: string, options: Options): Promise<void> {
  const { at, pass, output, json = false } = options;
  const { text, kernels } = isText(file) ? await dumpText(file, options) : await dumpModel(file, options);
  if (output !== undefined) writeFileSync(output, text);
  else if (typeof text !== 'string') throw wrong('output', 'wasm is bytes: say with --output where they go');
  else if (json) console.log(JSON.stringify({ model: file, level: at, pass, kernels, text }, null, 2));
  else console.log(text.trimEnd());
}

async function dumpModel(file: string, options: Options): Promise<Dumped> {
  const { at, pass, kernel, input = [], simd } = options;
  const ofKernels = kernelLevels.includes(at);
  if (!ofKernels && !modelLevels.includes(at))
    throw wrong(
      'at',
      `a model has no level "${at}"; its levels are ${[...modelLevels, ...kernelLevels].join(', ')}`,
    );
  if (!ofKernels && kernel !== undefined)
    throw wrong('kernel', `--kernel picks one at the levels ${kernelLevels.join(', ')}`);
  const model = await load(file, { simd });
  try {
    if (ofKernels) return await dumpKernels(model, options);
    if (at === 'plan') await model.run(makeFeeds(model.inputs, input, 1));
    return { text: await model.dump(at, pass === undefined ? {} : { pass }) };
  } finally {
    await model.dispose();
  }
}

async function dumpKernels(
  model: Model,
  { at, pass, kernel, input = [], schedule }: Options,
): Promise<Dumped> {
  if (pass !== undefined) throw wrong('pass', 'passes change the graph: --pass is for --at=graph');
  const { kernels, others, simd, sharedMemory } = await kernelsOf(model, makeFeeds(model.inputs, input, 1));
  const asked = kernel === undefined ? kernels : [findKernel(kernels, kernel)];
  if (at === 'tasks') {
    const lines = asked.map(
      ({ number, task, steps }) => `${task}  // kernel ${number}: ${stepsText(steps)}\n`,
    );
    const counts = [...others].map(([name, count]) => `${name} ${count}`);
    if (kernel === undefined && counts.length > 0) lines.push(`// steps by others: ${counts.join(', ')}\n`);
    return { text: lines.join(''), kernels: asked };
  }
  const workbench = await Workbench.open();
  const how = { simd, sharedMemory, ...scheduleOf(schedule) };
  if (at === 'wasm') {
    const [only, ...more] = asked;
    if (!only || more.length > 0)
      throw wrong(
        'kernel',
        `wasm is that of one kernel, and there are ${asked.length}: say which with --kernel`,
      );
    return { text: workbench.assemble(only.task, how) };
  }
  const texts = asked.map((each) => ({ ...each, text: workbench.show(each.task, at, how) }));
  const comment = at === 'wat' ? ';;' : '//';
  const parts = texts.map(
    ({ number, task, steps, text }) =>
      `${comment} kernel ${number}: ${task}; ${stepsText(steps)}\n${text.trimEnd()}\n`,
  );
  return { text: parts.join('\n'), kernels: texts };
}

async function dumpText(file: string, { at, kernel, simd, schedule }: Options): Promise<Dumped> {
  if (kernel !== undefined) throw wrong('kernel', `--kernel is for models: ${file} is one kernel`);
  const workbench = await Workbench.open();
  // As an engine in Node has it, so that a kernel's text gives the bytes that the model's kernel has.
  const sharedMemory = true;
  const options: WorkbenchOptions = {
    simd: workbench.simdLevel(simd),
    sharedMemory,
    ...scheduleOf(schedule),
  };
  const text = readText(file);
  return { text: at === 'wasm' ? workbench.assemble(text, options) : workbench.show(text, at, options) };
}

const scheduleOf = (file: string | undefined): { schedule?: string } =>
  file === undefined ? {} : { schedule: readText(file) };

const wrong = (subject: string, message: string): FuselaneError =>
  new FuselaneError('invalid-argument', message, { subject });
