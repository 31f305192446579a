#!/usr/bin/env node
// The command line: `fuselane info | run | explain | dump FILE`.

import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import { dump } from './dump.js';
import { explain } from './explain/explain.js';
import { info } from './info.js';
import { run } from './run.js';
import { errorObject, errorText } from './text.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const whole =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least)
      throw new InvalidArgumentError(`A whole number of at least ${least} was expected.`);
    return value;
  };
const collect = (text: string, before: string[] = []): string[] => [...before, text];
const simd = (description: string): Option =>
  new Option('--simd <level>', description).choices(['auto', 'relaxed', 'baseline', 'none']).default('auto');

const program = new Command('fuselane')
  .description(
    'Runs trained neural networks: looks into models, runs them, shows what the compiler makes of them.',
  )
  .version(version)
  .showHelpAfterError('(see fuselane --help)');

program
  .command('info')
  .description('what a model takes, gives and weighs')
  .argument('<model>', 'path or URL of the model')
  .option('--json', 'print JSON')
  .action(info);

program
  .command('run')
  .description("runs a model, or a kernel's text, and shows, or writes, what comes out")
  .argument('<file>', 'path or URL of a model, or path of a .task, .loops or .low text')
  .option(
    '-i, --input <name=value>',
    'a .npy file, a PNG or JPEG picture, random[:1x3x224x224] or zeros[:1x128]',
    collect,
  )
  .option('-o, --output-dir <folder>', 'write each output as .npy into this folder')
  .option('--seed <number>', 'of the random inputs', whole(0), 1)
  .option('--repeat <count>', 'run as often', whole(1), 1)
  .option('--threads <count>', 'threads that share the work: the cores, at most 8, when left out', whole(1))
  .addOption(simd('what generated code may use'))
  .option(
    '-s, --size <name=number>',
    "one of a text's sizes; strides and sizes of blocks can be left out",
    collect,
  )
  .option(
    '--at <level>',
    'run the text as loops or low instructions, interpreted, or as wasm; all are compared with loops',
  )
  .option('--schedule <file>', 'the schedule of a task; the default one otherwise')
  .option('--of <file>', 'the .task or .loops that a .low text is made of: it names buffers and sizes')
  .option('--json', 'print JSON')
  .action(run);

program
  .command('explain')
  .description(
    'what the compiler has made of a model: which nodes became one step, by which kernel, how long that takes and how near it is to what this machine can do',
  )
  .argument('<model>', 'path or URL of the model')
  .option('-i, --input <name=value>', 'what steps are made for, as for run; random inputs otherwise', collect)
  .option('--threads <count>', 'as for run; 2 for --structure when left out', whole(1))
  .addOption(
    simd('what generated code may use; baseline for --structure when left out').default(undefined, 'auto'),
  )
  .option('--runs <count>', 'that are timed, or rounds of --ablation; times are medians', whole(1), 10)
  .option('--top <count>', 'only the slowest steps', whole(1))
  .option('--step <number>', 'only this step, with all its nodes and its schedule', whole(1))
  .option('--structure', 'without times: the same text on every machine')
  .option('--ablation', 'the time with each optimization switched off instead')
  .option('--json', 'print JSON')
  .action(explain);

program
  .command('dump')
  .description('prints what the compiler makes of a model, or of a text, at one of its levels')
  .argument('<file>', 'path or URL of a model, or path of a .graph, .task, .loops or .low text')
  .requiredOption(
    '--at <level>',
    'graph, or plan of a model; tasks, schedule, loops, low, wat or wasm of its kernels or of a text, which is lowered as far',
  )
  .option(
    '--pass <name>',
    'the graph after the last run of this pass, or "import" for the graph as it was read',
  )
  .option(
    '-k, --kernel <name>',
    'one kernel of a model, by its number at --at=tasks or part of its task; all otherwise',
  )
  .option(
    '-i, --input <name=value>',
    'what a plan and kernels are made for, as for run; random inputs otherwise',
    collect,
  )
  .addOption(simd('what code is made for: auto is the best that is here'))
  .option('--schedule <file>', 'the schedule of a task; the default one otherwise')
  .option('-o, --output <file>', 'write it there')
  .option('--json', 'print JSON')
  .action(dump);

try {
  await program.parseAsync();
} catch (error) {
  if (process.argv.includes('--json')) console.log(JSON.stringify(errorObject(error), null, 2));
  else console.error(errorText(error));
  process.exitCode = 1;
}
