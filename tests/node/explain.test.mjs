// @ts-check
// What the compiler says of its own work: model.report({ detail: true }) and `fuselane explain`.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEngine, knobs, load } from '../../dist/node.js';
import { makeFeeds } from '../../dist/cli/inputs.js';
import { arithmeticOf } from '../../tools/bench/arithmetic.mjs';
import { cases as models } from '../parity/models.mjs';
import { tinyModel } from '../support/onnx_writer.mjs';

const file = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fuselane-explain-'));
after(() => rmSync(folder, { recursive: true }));
const task = join(folder, 'product.task');

const tokens = (/** @type {string} */ dims) =>
  ['input_ids', 'attention_mask', 'token_type_ids'].map((name) => `${name}=zeros:${dims}`);
/** What models take that is not random. @type {Record<string, string[]>} */
const inputs = {
  encoder_17: ['input_ids=random:2x7', 'attention_mask=zeros:2x7', 'token_type_ids=zeros:2x7'],
  minilm_s128: tokens('1x128'),
  ppocr_recognition: ['x=random:1x3x48x320'],
};
const model = (/** @type {string} */ name) => file(`../models/${name}.onnx`);

/** @param {string[]} args @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
const explain = (...args) =>
  new Promise((resolve) =>
    execFile(
      process.execPath,
      [file('../../dist/cli/main.js'), 'explain', ...args],
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  );

test('a detailed report needs a run, and then tells all nodes of each step', async () => {
  const tiny = await load(tinyModel(), { threads: 1 });
  await assert.rejects(tiny.report({ detail: true }), { code: 'invalid-argument', message: /run the model/ });
  // @ts-expect-error: no such option
  await assert.rejects(tiny.report({ details: true }), { code: 'invalid-argument', message: /detail/ });
  await tiny.run(makeFeeds(tiny.inputs, [], 1));
  const { detail, steps } = await tiny.report({ detail: true });
  assert.equal(detail.steps.length, steps);
  assert.ok(detail.steps.every(({ milliseconds }) => milliseconds === undefined));
  assert.equal('detail' in (await tiny.report()), false);
  await tiny.dispose();
});

test('what is fused is one group, and with vertical fusion off each node is its own', async () => {
  const namesOf = async (/** @type {boolean} */ vertical) => {
    const encoder = await load(model('encoder_17'), { threads: 1, knobs: { vertical } });
    await encoder.run(makeFeeds(encoder.inputs, inputs['encoder_17'] ?? [], 1));
    const { detail } = await encoder.report({ detail: true });
    await encoder.dispose();
    const groups = new Map(detail.steps.map(({ group, nodes }) => [group, nodes]));
    groups.delete(undefined);
    assert.equal(groups.size, detail.groups);
    assert.ok([...groups.values()].every((nodes) => nodes.length > 0));
    return [...groups.values()].map((nodes) => nodes.map(({ node }) => node));
  };
  const [fused, apart] = [await namesOf(true), await namesOf(false)];
  assert.ok(apart.every((nodes) => nodes.length === 1));
  assert.ok(fused.length < apart.length && fused.some((nodes) => nodes.length > 1));
  assert.deepEqual(new Set(fused.flat()), new Set(apart.flat()));
});

test('steps have times from a profile on, until other steps are run', async () => {
  const encoder = await load(model('encoder_17'), { threads: 2 });
  const one = makeFeeds(encoder.inputs, inputs['encoder_17'] ?? [], 1);
  const profile = await encoder.profile(one, { runs: 3 });
  await encoder.run(one);
  const { detail } = await encoder.report({ detail: true });
  assert.deepEqual(detail.steps, profile.steps);
  assert.deepEqual([detail.milliseconds, detail.runs], [profile.milliseconds, 3]);
  await encoder.run(
    makeFeeds(
      encoder.inputs,
      ['input_ids', 'attention_mask', 'token_type_ids'].map((name) => `${name}=zeros:1x5`),
      1,
    ),
  );
  const other = (await encoder.report({ detail: true })).detail;
  assert.ok(other.milliseconds === undefined && other.steps.every((step) => step.milliseconds === undefined));
  await encoder.dispose();
});

test('bytes, kinds and schedules of steps', async () => {
  const convnet = await load(model('convnet_13'), { threads: 1 });
  await convnet.run(makeFeeds(convnet.inputs, [], 1));
  const { detail } = await convnet.report({ detail: true });
  for (const { kind, kernel, schedule, bytesRead, bytesWritten } of detail.steps) {
    assert.ok(bytesRead > 0 && bytesWritten > 0, kernel);
    assert.equal(schedule !== undefined, kind === 'generated');
    if (schedule !== undefined) assert.match(schedule, /^algorithm \w+\n(.+\n)+$/);
  }
  const softmax = detail.steps.find(({ operator }) => operator === 'Softmax');
  assert.ok(softmax && softmax.bytesRead === softmax.bytesWritten);
  assert.equal(detail.barriers, 0);
  const unshared = detail.steps.every(({ chunks }) => chunks === 1);
  assert.ok(unshared);
  await convnet.dispose();
});

for (const name of ['convnet_13', 'encoder_17', 'recurrent_14', 'unet_11', 'volumes_12'])
  test(`${name}: the multiply-adds of its steps are those that the file states`, async () => {
    const loaded = await load(model(name), { threads: 1 });
    const feeds = makeFeeds(loaded.inputs, inputs[name] ?? [], 1);
    await loaded.run(feeds);
    const { detail } = await loaded.report({ detail: true });
    await loaded.dispose();
    const sum = detail.steps.reduce((all, { multiplyAdds }) => all + multiplyAdds, 0);
    const { multiplyAdds } = await arithmeticOf(
      /** @type {any} */ ({ path: model(name) }),
      /** @type {any} */ (feeds),
    );
    assert.ok(sum > 0);
    assert.equal(sum, multiplyAdds);
  });

for (const name of [
  ...['convnet_13', 'encoder_17', 'ppocr_recognition'],
  ...['googlenet', 'inception_v3', 'minilm_s128', 'vit_tiny16', 'efficientnet_b0'],
]) {
  const { path, from } = models.find((each) => each.name === name) ?? { path: '', from: '' };
  const missing = existsSync(path)
    ? false
    : `${path} is not there${from === 'zoo' ? `: npm run zoo -- ${name}` : ''}`;
  test(`${name}: its structure is the text that is held`, { skip: missing }, async () => {
    const held = file(`../structure/${name}.txt`);
    const { code, stdout, stderr } = await explain(
      ...[path, '--structure', ...(inputs[name] ?? []).map((input) => `--input=${input}`)],
    );
    assert.equal(code, 0, stderr);
    if (process.env['FUSELANE_REWRITE']) writeFileSync(held, stdout);
    else
      assert.equal(
        stdout,
        readFileSync(held, 'utf8'),
        'where this is meant: FUSELANE_REWRITE=1 and the same test',
      );
  });
}

test('without tiling tiles are a row, without layout results are laid row-major', async () => {
  const engine = await createEngine({ threads: 1 });
  const detailWith = async (/** @type {import('fuselane').Knobs} */ given) => {
    const convnet = await engine.load(model('convnet_13'), { knobs: given });
    await convnet.run(makeFeeds(convnet.inputs, [], 1));
    const { detail } = await convnet.report({ detail: true });
    await convnet.dispose();
    return detail;
  };
  const rows = (/** @type {import('fuselane').ReportDetail} */ { steps }) =>
    new Set(steps.flatMap(({ schedule }) => /split ii (\d+) even/.exec(schedule ?? '')?.[1] ?? []));
  const usual = await detailWith({});
  assert.deepEqual(
    [...rows(usual)].map((count) => Number(count) > 1),
    [true],
  );
  // The same engine has kernels of both kinds.
  assert.deepEqual([...rows(await detailWith({ tiling: false }))], ['1']);
  assert.deepEqual(rows(await detailWith({})), rows(usual));
  const plain = await detailWith({ layout: false });
  assert.ok(plain.conversions > 2 * usual.conversions + 4, `${plain.conversions} and ${usual.conversions}`);
  assert.equal(plain.groups, usual.groups);
  await engine.dispose();
});

test('explain shows times, shares and what the machine can do, within the width', async () => {
  const { code, stdout, stderr } = await explain(model('convnet_13'), '--threads=1', '--runs=3', '--top=4');
  assert.equal(code, 0, stderr);
  const lines = stdout.trimEnd().split('\n');
  assert.match(
    lines[0],
    /convnet_13\.onnx: \d+\.\d{3} ms a run \(median of 3\), \d+\.\d{3} of them in \d+ steps$/,
  );
  assert.match(lines[1], /^threads 1, SIMD \w+; groups of nodes \d+, changes of layout \d+, barriers 0$/);
  assert.match(
    lines[3],
    /^ *#  +ms {2}share +MMAC {2}of peak +read {2}written {2}of bandwidth {2}chunks {2}nodes +kernel$/,
  );
  const numbers = lines.slice(4, 8).map((line) => Number(/^ *(\d+) {2}/.exec(line)?.[1]));
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
  );
  assert.ok(lines.every((line) => line.length <= 160));
  assert.match(
    stdout,
    /million multiply-adds.*\nsteps with multiply-adds: .*% of the time, at .*% of the peak\n/,
  );
  assert.match(stdout, /peak [1-9][\d.]* GFLOP\/s, memory [1-9][\d.]* GB\/s\n$/);
});

test('explain as JSON: shares add up, rates are below the peak', async () => {
  const { code, stdout, stderr } = await explain(model('unet_11'), '--threads=1', '--runs=3', '--json');
  assert.equal(code, 0, stderr);
  const { report, peaks, totals } = JSON.parse(stdout);
  const { steps } = report.detail;
  assert.equal(steps.length, report.steps);
  /** @param {string} name */
  const sum = (name) =>
    steps.reduce((/** @type {number} */ all, /** @type {any} */ step) => all + step[name], 0);
  assert.ok(Math.abs(sum('share') - 1) < 1e-9);
  assert.equal(sum('multiplyAdds'), totals.multiplyAdds);
  assert.ok(Math.abs(sum('milliseconds') - totals.milliseconds) < 1e-9 * totals.milliseconds);
  assert.ok(totals.ofPeak > 0 && totals.ofPeak < 1.2, `${totals.ofPeak} of ${peaks.operations}`);
  const rate = (2 * totals.multiplyAdds) / (totals.arithmeticShare * totals.milliseconds * 1e-3);
  assert.ok(Math.abs(rate / peaks.operations / totals.ofPeak - 1) < 1e-6);
});

test('explain shows one step with all its nodes and its schedule', async () => {
  const { stdout } = await explain(model('convnet_13'), '--threads=1', '--runs=1', '--step=6');
  assert.match(
    stdout,
    /\nstep 6: generated map .*\n {2}Mul .*\n {2}Add .*\n {2}one thread .*\n {2}schedule\n {4}algorithm map\n {4}split /,
  );
});

test('ablation switches off each optimization that can be', async () => {
  const args = [model('convnet_13'), '--ablation', '--threads=2', '--runs=2'];
  const { code, stdout, stderr } = await explain(...args, '--json');
  assert.equal(code, 0, stderr);
  const { simd, rounds, rows, notes } = JSON.parse(stdout);
  assert.equal(rounds, 2);
  const switched = Object.entries(knobs).flatMap(([name, kind]) =>
    kind === 'boolean' && name !== 'kernels' && name !== 'generated' ? [name] : [],
  );
  const expected = [
    'vectorization',
    ...(simd === 'relaxed' ? ['relaxed SIMD'] : []),
    'parallelization',
    'passes',
  ];
  assert.deepEqual(
    rows.map((/** @type {any} */ { off }) => off),
    [...expected, ...switched],
  );
  for (const { off, ratio, least, greatest } of rows)
    assert.ok(least > 0 && least <= ratio && ratio <= greatest, off);
  assert.equal(notes.length, simd === 'relaxed' ? 0 : 1);
  const lines = (await explain(...args, '--simd=none', '--threads=1')).stdout.split('\n');
  const found = lines.filter((line) => line.startsWith('not measured: '));
  assert.equal(found.length, 3, found.join());
});

test('what cannot be explained is refused', async () => {
  writeFileSync(task, 'matmul tail 0\n');
  /** @type {[string[], RegExp][]} */
  const cases = [
    [[task], /the text of a kernel, and explain takes models.*\(invalid-argument\)\n$/],
    [[model('convnet_13'), '--structure', '--top=3'], /--structure and --top.*\(invalid-argument\)\n$/],
    [[model('convnet_13'), '--step=999', '--runs=1'], /no step 999: its steps are 1 to \d+ \(/],
    [[model('convnet_13'), '--runs=0'], /at least 1/],
    [[model('encoder_17'), '--structure'], /Gather.*\(invalid-data, node /],
    [['nowhere.onnx'], /nowhere\.onnx cannot be opened/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await explain(...args);
    assert.deepEqual([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, message);
  }
});
