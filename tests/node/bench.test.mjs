// @ts-check
// The parts of the benchmark that need no browser: arguments, statistics, counting of arithmetic, the table, and that
// the roofline's loops compute what they say.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { count } from '../../tools/bench/arithmetic.mjs';
import { request } from '../../tools/bench/arguments.mjs';
import { inOneWorker, listed, summary as summaryOfEmission } from '../../tools/bench/emission.mjs';
import { loadCells, loadColumns } from '../../tools/bench/loading.mjs';
import { largestDifference } from '../../tools/bench/measure.mjs';
import { kBytesPerTurn, mulAdd, read } from '../../dist/cli/roofline/loops.js';
import { geometricMean, median, quantile, ratioOf } from '../../tools/bench/statistics.mjs';
import { columns, header, leastMilliseconds, rowLine, summary } from '../../tools/bench/table.mjs';
import { readModel } from '../../tools/zoo/onnx_wire.mjs';
import { onnxModel } from '../support/onnx_writer.mjs';

test('median, quantiles, geometric mean, ratios of pairs', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([10, 20, 30, 40, 50], 0.25), 20);
  assert.equal(quantile([7], 0.75), 7);
  assert.ok(Math.abs(geometricMean([0.5, 2, 8]) - 2) < 1e-12);
  // The second round was disturbed for both: the pairs do not see it.
  assert.deepEqual(ratioOf([20, 200, 22], [10, 100, 10]), { median: 2, low: 2, high: 2.1 });
});

test('arguments: what is asked for, and what is left out', () => {
  const asked = request([
    '--engines',
    'fuselane,fuselane:worker=false+n=2+s=x+knobs.generated=false',
    '--models',
    'convnet_13,silero_v5',
  ]);
  assert.deepEqual(asked.engines, [
    { label: 'fuselane', name: 'fuselane', options: {} },
    {
      label: 'fuselane:worker=false+n=2+s=x+knobs.generated=false',
      name: 'fuselane',
      options: { worker: false, n: 2, s: 'x', knobs: { generated: false } },
    },
  ]);
  assert.deepEqual(
    asked.models.map(({ name }) => name),
    ['convnet_13', 'silero_v5'],
  );
  assert.deepEqual([asked.threads, asked.rounds, asked.json], [1, 7, undefined]);
  const names = request([]).models.map(({ name }) => name);
  assert.ok(names.includes('ppocr_detection') && !names.includes('convnet_13'), names.join());
});

for (const [args, expected] of /** @type {[string[], RegExp][]} */ ([
  [['--engine', 'fuselane'], /'--engine'[^]*npm run bench -- /],
  [['--engines', 'fuselane,other'], /no engine "other"; the engines are fuselane, onnxruntime-web/],
  [['--engines', 'onnxruntime-web:simd=false'], /onnxruntime-web takes no options/],
  [['--engines', 'fuselane:worker'], /"worker" in "fuselane:worker" must be an option and its value/],
  [['--models', 'resnet'], /no model "resnet"; the models are .*resnet18/],
  [['--threads', '0'], /--threads must be a whole number from 1 to \d+, not "0"/],
  [['--rounds', 'many'], /--rounds must be a whole number from 1 to 1000, not "many"/],
]))
  test(`arguments: ${args.join(' ')} is refused`, () => assert.throws(() => request(args), expected));

test('arithmetic of products, from the dims of a run', () => {
  const { graph } = readModel(
    onnxModel({
      inputs: [{ name: 'x', dims: [1, 3, 'h', 'w'] }],
      outputs: [{ name: 'y', dims: [1, 8, 'h', 'w'] }],
      nodes: [
        { op: 'Conv', inputs: ['x', 'filter'], outputs: ['c'] },
        { op: 'Relu', inputs: ['c'], outputs: ['r'] },
        { op: 'MatMul', inputs: ['r', 'matrix'], outputs: ['y'] },
        { op: 'MatMul', inputs: ['r', 'matrix'], outputs: ['z'] },
        { op: 'ConvTranspose', inputs: ['x', 'spread'], outputs: ['t'] },
      ],
      constants: [
        { name: 'filter', dims: [8, 3, 3, 3], data: new Float32Array(8 * 27) },
        { name: 'matrix', dims: [5, 6], data: new Float32Array(30) },
        { name: 'spread', dims: [3, 4, 2, 2], data: new Float32Array(48) },
        { name: 'unread', dims: [9], data: new Float32Array(9) },
      ],
    }),
  );
  const dims = new Map([
    ['x', [1, 3, 7, 7]],
    ['c', [1, 8, 5, 5]],
    ['r', [1, 8, 5, 5]],
    ['y', [1, 8, 5, 6]],
    ['z', [1, 8, 5, 6]],
  ]);
  const products = 8 * 25 * 27 + 2 * (8 * 5 * 6 * 5) + 3 * 49 * 16;
  assert.deepEqual(count(graph, dims), { multiplyAdds: products, weightBytes: 4 * (8 * 27 + 30 + 48) });
});

test('the least time is that of the arithmetic or of reading the weights', () => {
  const roofline = { fma: 50e9, mulAdd: 40e9, read: 10e9 };
  assert.equal(leastMilliseconds({ multiplyAdds: 25e6, weightBytes: 1e6 }, roofline), 1);
  assert.equal(leastMilliseconds({ multiplyAdds: 25e6, weightBytes: 50e6 }, roofline), 5);
});

test('outputs that are missing, of other dims or not a number differ infinitely', () => {
  const f = (/** @type {number[]} */ ...values) => ({
    type: 'float32',
    dims: [values.length],
    data: Float32Array.from(values),
  });
  assert.equal(largestDifference({ y: f(1, -4) }, { y: f(1, -4) }), 0);
  assert.equal(largestDifference({ y: f(1, -5) }, { y: f(1, -4) }), 0.25);
  assert.equal(largestDifference({ z: f(1) }, { y: f(1) }), Infinity);
  assert.equal(largestDifference({ y: f(1, 2) }, { y: f(1) }), Infinity);
  assert.equal(largestDifference({ y: f(NaN, 2) }, { y: f(1, 2) }), Infinity);
});

test('the table has a line a model, the summary a line a peer', () => {
  const result = (/** @type {string} */ engine, /** @type {number} */ ratio) => ({
    engine,
    milliseconds: 10 * ratio,
    rounds: [10 * ratio],
    runs: 1,
    cores: 1,
    ratio: { median: ratio, low: ratio, high: ratio },
    difference: 1e-6,
  });
  const rows = [
    {
      model: 'one',
      arithmetic: { multiplyAdds: 125e6, weightBytes: 0 },
      results: [result('a', 1), result('b', 2)],
    },
    {
      model: 'two',
      arithmetic: { multiplyAdds: 0, weightBytes: 0 },
      results: [result('a', 1), result('b', 0.5)],
    },
    {
      model: 'three',
      arithmetic: { multiplyAdds: 0, weightBytes: 0 },
      results: [result('a', 1), { engine: 'b', error: 'no' }],
    },
  ];
  const table = columns(['a', 'b'], ['one', 'two', 'three']);
  const words = (/** @type {string} */ text) => text.trim().split(/ {2,}/).join('|');
  assert.equal(
    words(header(table)),
    'model|MMAC|a ms|of peak|cores|b ms|of peak|cores|ratio (quartiles)|difference',
  );
  const roofline = { fma: 50e9, mulAdd: 40e9, read: 10e9 };
  assert.deepEqual(
    rows.map((row) => words(rowLine(table, row, roofline))),
    [
      'one|125.0|10.0|50%|1.0|20.0|25%|1.0|2.00 (2.00-2.00)|1.0e-6',
      'two|-|10.0|-|1.0|5.00|-|1.0|0.50 (0.50-0.50)|1.0e-6',
      'three|-|10.0|-|1.0|failed',
    ],
  );
  assert.deepEqual(summary(['a', 'b'], rows), ['b / a: geometric mean 1.00 over 2 models, least 0.50 (two)']);
});

test('loads: a cell under each column, also for what failed', () => {
  const engines = [
    { label: 'fuselane', name: 'fuselane' },
    { label: 'peer', name: 'onnxruntime-web' },
  ];
  const preparation = { import: 1, optimize: 2, weights: 3, plan: 4, emit: 5, install: 6 };
  const report = /** @type {import('fuselane').Report} */ ({ kernels: 9, kernelBytes: 12_345, preparation });
  const result = (/** @type {string} */ engine, /** @type {number} */ ratio, reports = [report]) => ({
    engine,
    milliseconds: 100 * ratio,
    rounds: [100 * ratio],
    reports,
    ratio: { median: ratio, low: ratio, high: ratio },
    difference: 1e-6,
  });
  const table = loadColumns(engines, ['one', 'two']);
  const words = (/** @type {string[]} */ cells) => {
    assert.equal(cells.length, table.length, cells.join('|'));
    return cells.join('|');
  };
  assert.equal(
    words(loadCells(engines, { model: 'one', results: [result('fuselane', 1), result('peer', 4, [])] })),
    'one|100.0|12.0|3.0|6.0|9|12|400.0|4.00 (4.00-4.00)|1.0e-6',
  );
  const failed = (/** @type {string} */ engine) => ({ engine, error: 'no' });
  assert.equal(
    words(loadCells(engines, { model: 'two', results: [failed('fuselane'), failed('peer')] })),
    'two|failed||||||failed||',
  );
});

test("the roofline's loops compute what they say", () => {
  const exportsOf = (/** @type {WebAssembly.Module} */ module) =>
    /** @type {any} */ (new WebAssembly.Instance(module).exports);
  assert.equal(exportsOf(mulAdd()).run(100), 24); // twelve chains at the fixed point of x * 0.5 + 1
  const { run, memory } = exportsOf(read(65536));
  const lanes = new Uint32Array(memory.buffer);
  lanes[0] = 0x3f800000; // 1
  lanes[kBytesPerTurn / 4 + 8] = 0x00400000; // a bit of the fraction: 1.5 together
  lanes[(2 * kBytesPerTurn) / 4] = 0x80000000; // behind the range
  assert.equal(run(0, 2 * kBytesPerTurn), 1.5);
});

test('emission: each kernel of the golden list is measured, and the largest and the median are told', () => {
  const golden = readFileSync(new URL('../golden/kernels.txt', import.meta.url), 'utf8');
  const kernels = listed(golden);
  assert.equal(kernels.length, golden.split('\n').filter(Boolean).length);
  for (const simd of ['none', 'baseline', 'relaxed'])
    assert.equal(kernels.filter((kernel) => kernel.simd === simd).length, kernels.length / 3);
  assert.ok(kernels.some(({ task }) => task === 'matmul tail 0'));
  assert.throws(() => listed('matmul tail 0: mmx 12 00'), /not a line of the golden kernels/);

  const row = (/** @type {number} */ cold, /** @type {number} */ warm, /** @type {string} */ task) =>
    /** @type {const} */ ({ task, simd: 'relaxed', bytes: 1, cold, warm });
  assert.equal(
    summaryOfEmission([row(3, 0.1, 'a'), row(1, 0.3, 'b'), row(2, 0.2, 'c')]),
    '3 kernels\ncold: median 2.000 ms, largest 3.000 ms (a: relaxed)\nwarm: median 0.200 ms, largest 0.300 ms (b: relaxed)',
  );
  assert.equal(
    inOneWorker('none', [30, ...Array(9).fill(2), 1, 1]),
    'none, 12 kernels once in one new worker: the first 30.000 ms, the next 9 2.000 ms each, all 4.167 ms each',
  );
  assert.equal(
    inOneWorker('none', [30]),
    'none, 1 kernels once in one new worker: the first 30.000 ms, all 30.000 ms each',
  );
});
