// `npm test`: sets up what is missing, then runs the stages below, all of them even when one fails, and ends
// with the totals.
//
//   npm test                    what every change must pass, under 15 minutes from a clean clone on two cores
//   npm test -- --only=unit     one stage, and the stages it needs
//   npm test -- --all           also the long tests: FUSELANE_TEST_ALL=1 is set for the tests
//
// The output of a stage is in .cache/test/<stage>.log; its end is shown when the stage fails.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { buildPackage, buildPreset } from './setup/build.mjs';
import { format, lint } from './setup/checks.mjs';
import { root } from './setup/machine.mjs';
import { runMain, setUp } from './setup/setup.mjs';
import { Progress, run, seconds, SetupError } from './setup/terminal.mjs';
import { budget, sizeByRoom } from './size_by_room.mjs';

/** @typedef {{ passed: number, failed: number }} Count */
/** @typedef {{ log: string, results: string, progress: Progress }} Context where a stage's output and results go */
/** @typedef {{ name: string, needs?: string[], run: (context: Context) => Promise<Count | void> }} Stage */

/** A stage that counts nothing is one test, which fails when it throws. @type {Stage[]} */
const stages = [
  { name: 'build', run: ({ progress }) => buildPackage(progress) },
  { name: 'size', needs: ['build'], run: checkSize },
  { name: 'format', run: ({ log }) => format({ log, write: false }) },
  { name: 'lint', needs: ['build'], run: ({ log }) => lint({ log }) },
  { name: 'unit', run: runUnitTests },
  { name: 'node', needs: ['build'], run: (context) => runNodeTests('tests/node', context) },
  { name: 'parity', needs: ['build'], run: (context) => runNodeTests('tests/parity', context) },
  { name: 'browser', needs: ['build'], run: runBrowserTests },
];

/**
 * The C++ tests, natively under AddressSanitizer and UndefinedBehaviorSanitizer.
 * @param {Context} context
 * @returns {Promise<Count>}
 */
async function runUnitTests({ log, results, progress }) {
  await buildPreset('native-san', progress);
  const env = { GTEST_OUTPUT: `json:${results}/` };
  const jobs = String(availableParallelism());
  const crash = await failureOf(
    run('ctest', ['--preset', 'native-san', '-j', jobs], { log, progress, cwd: root, env }),
  );
  const count = { passed: 0, failed: 0 };
  for (const file of readdirSync(results)) {
    const { tests, failures, disabled } = JSON.parse(readFileSync(`${results}/${file}`, 'utf8'));
    count.passed += tests - failures - disabled;
    count.failed += failures;
  }
  if (crash) throw new StageFailure(crash.message, { ...count, failed: Math.max(1, count.failed) });
  return count;
}

/**
 * In milliseconds: a file of tests that hangs fails, and a stage that does not end then is killed. The longest file
 * (of the demo) takes less than 4 minutes, the longest stage less than 7; the long tests (--all) have an hour.
 */
const longest = () => (process.env.FUSELANE_TEST_ALL ? 60 : 10) * 60_000;

/**
 * Every *.test.mjs of a folder, each file in a process of its own.
 * @param {string} folder
 * @param {Context} context
 * @returns {Promise<Count>}
 */
async function runNodeTests(folder, { log, results, progress }) {
  const files = readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' });
  const tests = files.filter((file) => file.endsWith('.test.mjs')).sort();
  const tap = `${results}/results.tap`;
  const reporters = ['spec', 'stdout', 'tap', tap];
  const flags = reporters.map((value, i) => `--test-reporter${i % 2 ? '-destination' : ''}=${value}`);
  const args = [
    '--test',
    `--test-timeout=${longest()}`,
    ...flags,
    ...tests.map((file) => `${folder}/${file}`),
  ];
  const failure = await failureOf(
    run(process.execPath, args, { log, progress, cwd: root, limit: 2 * longest() }),
  );
  const text = existsSync(tap) ? readFileSync(tap, 'utf8') : '';
  const total = (/** @type {string} */ what) =>
    Number(new RegExp(`^# ${what} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const count = { passed: total('pass'), failed: total('fail') + total('cancelled') };
  if (failure) throw new StageFailure(failure.message, { ...count, failed: Math.max(1, count.failed) });
  return count;
}

/** The demo is built first. @param {Context} context @returns {Promise<Count>} */
async function runBrowserTests(context) {
  const { buildSite } = await import('./site/build.mjs');
  await buildSite(context.progress);
  return runNodeTests('tests/browser', context);
}

async function checkSize() {
  const { size, text } = sizeByRoom(`${root}/build/wasm/web-glue`);
  console.log(text);
  if (size > budget) throw new Error(`the core with threads has ${size} bytes; its budget is ${budget}`);
  const map = readFileSync(`${root}/build/wasm/web-glue.map`, 'utf8');
  const forTools = /lib(?:engine\.a\(workbench|(?:loop|low)\.a\((?:parse|interpret))\w*\.cc\.o\)/.exec(map);
  if (forTools) throw new Error(`the core that pages download contains ${forTools[0]}, which is for tools`);
}

/** A stage whose tests could be counted, and some failed. */
class StageFailure extends Error {
  /** @param {string} message @param {Count} count */
  constructor(message, count) {
    super(message);
    this.count = count;
  }
}

/** @param {Promise<void>} work @returns {Promise<Error | undefined>} */
async function failureOf(work) {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof SetupError) return error;
    throw error;
  }
}

/** @param {Stage} stage @returns {Promise<Count>} */
async function runStage(stage) {
  const log = `${root}/.cache/test/${stage.name}.log`;
  const results = `${root}/.cache/test/${stage.name}`;
  rmSync(log, { force: true });
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const progress = new Progress(`test ${stage.name}`);
  try {
    const count = (await stage.run({ log, results, progress })) ?? { passed: 1, failed: 0 };
    progress.end(`${count.passed} passed`);
    return count;
  } catch (error) {
    const count = error instanceof StageFailure ? error.count : { passed: 0, failed: 1 };
    progress.end(`${count.failed} failed`);
    console.log(error instanceof Error && error.message ? error.message : error);
    return count;
  }
}

/** @param {string | undefined} only @returns {Stage[]} */
function selectStages(only) {
  if (only === undefined) return stages;
  const stage = stages.find(({ name }) => name === only);
  if (!stage)
    throw new SetupError(
      `there is no stage "${only}"; the stages are ${stages.map(({ name }) => name).join(', ')}`,
    );
  return stages.filter(({ name }) => name === only || stage.needs?.includes(name));
}

await runMain(async () => {
  const start = Date.now();
  const { values } = parseArgs({ options: { only: { type: 'string' }, all: { type: 'boolean' } } });
  const selected = selectStages(values.only);
  if (values.all) process.env.FUSELANE_TEST_ALL = '1';
  await setUp();
  const total = { passed: 0, failed: 0 };
  const failed = new Set();
  for (const stage of selected) {
    const broken = stage.needs?.filter((name) => failed.has(name)) ?? [];
    if (broken.length > 0) console.log(`test ${stage.name}: not run, because ${broken.join(' and ')} failed`);
    const count = broken.length > 0 ? { passed: 0, failed: 1 } : await runStage(stage);
    total.passed += count.passed;
    total.failed += count.failed;
    if (count.failed > 0) failed.add(stage.name);
  }
  console.log(
    `\nIn ${seconds(Date.now() - start)}${failed.size > 0 ? `; failed: ${[...failed].join(', ')}` : ''}`,
  );
  console.log(`${total.passed} passed, ${total.failed} failed`);
  return total.failed > 0 ? 1 : 0;
});
