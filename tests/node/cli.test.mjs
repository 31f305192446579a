// @ts-check
// The command line, as a person calls it, and its .npy files.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readNpy, writeNpy } from '../../dist/cli/npy.js';
import { pictures } from '../pictures/index.mjs';
import { onnxModel, tinyModel } from '../support/onnx_writer.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fuselane-'));
after(() => rmSync(folder, { recursive: true }));
const path = (/** @type {string} */ name) => join(folder, name);
writeFileSync(path('tiny.onnx'), tinyModel());
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const picture = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`../pictures/${name}`, import.meta.url));

/** @param {string[]} args @returns {Promise<{ code: number, stdout: string, stderr: string }>} */
const fuselane = (...args) =>
  new Promise((resolve) =>
    execFile(process.execPath, [main, ...args], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    ),
  );

test('info tells what a model takes and gives', async () => {
  const { code, stdout, stderr } = await fuselane('info', path('tiny.onnx'));
  assert.equal(code, 0, stderr);
  assert.match(stdout, /input +x: float32 \[1, n\]\n +output +y: float32/);
  const json = JSON.parse((await fuselane('info', path('tiny.onnx'), '--json')).stdout);
  assert.deepEqual(json.inputs, [{ name: 'x', type: 'float32', dims: [1, 'n'] }]);
  assert.equal(json.report.nodesImported, 2);
});

test('run reads and writes .npy', async () => {
  writeFileSync(path('x.npy'), writeNpy({ type: 'float32', dims: [1, 3], data: Float32Array.of(-1, 0, 2) }));
  const out = path('out');
  const { code, stdout, stderr } = await fuselane(
    'run', path('tiny.onnx'), '--input', `x=${path('x.npy')}`, '--output-dir', out, '--repeat', '3',
  ); // prettier-ignore
  assert.equal(code, 0, stderr);
  assert.match(stdout, /y: float32 \[1, 3\] +min -2, max 4, mean 0\.666667 +-> .*y\.npy\n/);
  assert.match(stdout, /3 runs: first .* ms, median of the others .* ms/);
  assert.deepEqual(readNpy(readFileSync(join(out, 'y.npy')), 'y'), {
    type: 'float32',
    dims: [1, 3],
    data: Float32Array.of(-2, 0, 4),
  });
  assert.deepEqual(readNpy(readFileSync(join(out, 'z.npy')), 'z').data, Float32Array.of(0, 0, 2));
});

test('random inputs follow the seed', async () => {
  const mean = async (/** @type {string[]} */ ...args) => {
    const { code, stdout, stderr } = await fuselane('run', path('tiny.onnx'), '--json', ...args);
    assert.equal(code, 0, stderr + stdout);
    return JSON.parse(stdout).outputs[0];
  };
  const [first, same, other] = [
    await mean('--input', 'x=random:1x500'),
    await mean('--input', 'x=random:1x500', '--seed', '1'),
    await mean('--input', 'x=random:1x500', '--seed', '2'),
  ];
  assert.deepEqual(first.dims, [1, 500]);
  assert.deepEqual(first, same);
  assert.notEqual(first.mean, other.mean);
  assert.ok(Math.abs(first.mean) < 0.5 && first.max > 2 && first.min < -2, JSON.stringify(first));
  assert.deepEqual((await mean()).dims, [1, 1]);
});

test('run takes a number of threads and a level of SIMD', async () => {
  const outputs = async (/** @type {string} */ threads) => {
    const { code, stdout, stderr } = await fuselane('run', path('tiny.onnx'), '--json', '--threads', threads);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).outputs;
  };
  assert.deepEqual(await outputs('1'), await outputs('2'));
  const { code, stderr } = await fuselane('run', path('tiny.onnx'), '--threads', '65');
  assert.equal(code, 1);
  assert.match(stderr, /"threads".*64.*\(invalid-argument\)/);
  assert.match((await fuselane('run', path('tiny.onnx'), '--threads', '0')).stderr, /at least 1/);
  for (const simd of ['auto', 'baseline', 'none'])
    assert.equal((await fuselane('run', path('tiny.onnx'), '--simd', simd)).code, 0);
  const unknown = await fuselane('run', path('tiny.onnx'), '--simd', 'fast');
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /'fast' is invalid.*auto, relaxed, baseline, none/);
});

test('run reads pictures', async () => {
  const port = { name: 'p', dims: [1, 3, 'h', 'w'] };
  const model = onnxModel({
    inputs: [port],
    outputs: [{ name: 'q', dims: [1, 3, 'h', 'w'] }],
    nodes: [{ op: 'Relu', inputs: ['p'], outputs: ['q'] }],
  });
  writeFileSync(path('picture.onnx'), model);
  const given = ['--json', '--input', `p=${picture('exit.png')}`];
  const { code, stdout, stderr } = await fuselane('run', path('picture.onnx'), ...given);
  assert.equal(code, 0, stderr);
  const [q] = JSON.parse(stdout).outputs;
  assert.ok(q.dims[2] > 10 && q.dims[3] > q.dims[2], JSON.stringify(q.dims));
  assert.ok(q.min >= 0 && q.max <= 1 && q.max > 0.5 && q.max - q.min > 0.3, JSON.stringify(q));
});

test('dump prints the graph', async () => {
  const { code, stdout } = await fuselane('dump', path('tiny.onnx'), '--at=graph');
  assert.equal(code, 0);
  assert.match(stdout, /Relu|relu/);
  const json = JSON.parse((await fuselane('dump', path('tiny.onnx'), '--at=graph', '--json')).stdout);
  assert.equal(json.text.trimEnd(), stdout.trimEnd());
});

test('dump prints the plan for the inputs', async () => {
  const { code, stdout } = await fuselane('dump', path('tiny.onnx'), '--at=plan', '--input=x=random:1x7');
  assert.equal(code, 0);
  assert.match(stdout, /1,7/);
  assert.match(stdout, / by /);
});

test("dump prints a model's kernels, all or one", async () => {
  const node = (/** @type {string} */ op, /** @type {string[]} */ inputs, /** @type {string} */ output) => ({
    op,
    inputs,
    outputs: [output],
  });
  writeFileSync(
    path('kernels.onnx'),
    onnxModel({
      inputs: ['a', 'b'].map((name) => ({ name, dims: [2, 40] })),
      // All are results, so that each is a step of its own.
      outputs: ['c', 'd', 'e'].map((name) => ({ name, dims: [2, 40] })),
      nodes: [node('Add', ['a', 'b'], 'c'), node('Sqrt', ['c'], 'd'), node('Add', ['d', 'a'], 'e')],
    }),
  );
  const dump = async (/** @type {string[]} */ ...args) => fuselane('dump', path('kernels.onnx'), ...args);
  const tasks = await dump('--at', 'tasks');
  assert.equal(
    tasks.stdout,
    'map outer 0 strides 1 1 steps add 0 1  // kernel 1: 2 steps\n' +
      'map outer 0 strides 1 steps sqrt 0  // kernel 2: 1 step\n',
    tasks.stderr,
  );
  const wat = await dump('--at', 'wat', '--simd', 'baseline');
  assert.match(wat.stdout, /^;; kernel 1: .*add 0 1; 2 steps\n\(module\n[^]*\n\n;; kernel 2: .*sqrt/);
  const one = ['--kernel', 'add', '--simd', 'none'];
  for (const [level, holds] of /** @type {[string, RegExp][]} */ ([
    ['loops', /^\/\/ kernel 1: [^]*kernel "map" \{[^]*add\(x0/],
    ['low', /f32\.add/],
    ['wat', /f32\.add[^]*\(f32\.load/],
  ]))
    assert.match((await dump('--at', level, ...one)).stdout, holds);
  const json = JSON.parse((await dump('--at=loops', '--json')).stdout);
  assert.deepEqual(
    json.kernels.map((/** @type {any} */ { number, steps }) => [number, steps]),
    [
      [1, 2],
      [2, 1],
    ],
  );
  // What is written is read again, and gives the same.
  const bytes = async (/** @type {string} */ file, /** @type {string[]} */ ...args) => {
    const { stderr } = await fuselane('dump', file, '--at=wasm', '-o', path('k.wasm'), ...args);
    assert.equal(stderr, '');
    return readFileSync(path('k.wasm'));
  };
  await dump('--at=loops', '--kernel=1', '-o', path('k.loops'));
  const ofText = await bytes(path('k.loops'));
  assert.deepEqual(ofText, await bytes(path('kernels.onnx'), '--kernel=1'));
  const { stderr } = await dump('--at', 'loops', '--kernel', 'map');
  assert.match(stderr, /kernels 1, 2: give one of these.*invalid-argument/);
  assert.match((await dump('--at=loops', '--kernel=3')).stderr, /no kernel "3".*--at=tasks/);
  assert.match((await dump('--at=graph', '--kernel=1')).stderr, /--kernel picks one at the levels tasks/);
  assert.match((await dump('--at=asm')).stderr, /no level "asm".*graph, plan, tasks/);
  assert.match((await fuselane('dump', path('k.loops'), '--at=low', '-k', '1')).stderr, /is one kernel/);
});

test('dump lowers a text', async () => {
  writeFileSync(path('abs.task'), 'map outer 0 strides 1 steps abs 0\n');
  const loops = await fuselane('dump', path('abs.task'), '--at', 'loops');
  assert.match(loops.stdout, /^kernel "map" \{/);
  const none = await fuselane('dump', path('abs.task'), '--at', 'low', '--simd', 'none');
  assert.match(none.stdout, /f32\.abs/);
  const bytes = await fuselane('dump', path('abs.task'), '--at', 'wasm');
  assert.match(bytes.stderr, /--output.*\(invalid-argument/);
  const written = await fuselane(
    'dump',
    path('abs.task'),
    '--at',
    'wasm',
    '--simd',
    'none',
    '-o',
    path('abs.wasm'),
  );
  assert.equal(written.code, 0, written.stderr);
  assert.ok(WebAssembly.validate(readFileSync(path('abs.wasm'))));
});

test('run takes texts of kernels, at each level', async () => {
  const task = path('product.task');
  writeFileSync(task, 'matmul tail 3 finish activate 0 clamp 0 6\n');
  const sizes = ['batches=1', 'rows=7', 'depth=5', 'whole_panels=2'].flatMap((size) => ['--size', size]);
  const out = ['-o', path('products')];
  const loops = await fuselane('run', task, ...sizes, ...out);
  assert.equal(loops.code, 0, loops.stderr);
  assert.match(loops.stdout, /^c: float32 \[1, 7, 19\] +min 0, max [^]*\nloops; sizes batches=1 .*c_row=19/);
  const expected = readNpy(readFileSync(join(path('products'), 'c.npy')), 'c');
  await fuselane('dump', task, '--at=low', '-o', path('product.low'));
  for (const [level, ...args] of [
    ['low', task],
    ['wasm', task, '--simd=none', '--repeat=2'],
    ['wasm', path('product.low'), '--of', task],
  ]) {
    const { code, stdout, stderr } = await fuselane('run', ...args, ...sizes, ...out, '--at', level);
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^${level}, SIMD .*\n${level} and the interpreted loops agree: `, 'm'));
    const { dims, data } = readNpy(readFileSync(join(path('products'), 'c.npy')), 'c');
    assert.deepEqual(dims, expected.dims);
    data.forEach((value, i) => assert.ok(Math.abs(Number(value) - Number(expected.data[i])) < 1e-5));
  }
  // Instructions that do something else are told from those that the loops mean.
  const low = readFileSync(path('product.low'), 'utf8');
  assert.match(low, /f32\.const\(6\)/);
  writeFileSync(path('product.low'), low.replace('f32.const(6)', 'f32.const(0.5)'));
  const wrong = await fuselane('run', path('product.low'), '--of', task, ...sizes);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /low and the interpreted loops disagree: c\[\d+\] is 0\.5, and .* as loops/);
  // So are stores behind the buffer that is written.
  writeFileSync(path('copy.task'), 'map outer 0 strides 1 steps abs 0\n');
  const copy = ['--of', path('copy.task'), '--size', 'n=1', '--at'];
  await fuselane('dump', path('copy.task'), '--at=low', '--simd=none', '-o', path('copy.low'));
  const stores = readFileSync(path('copy.low'), 'utf8');
  assert.match(stores, /f32\.store\(%\w+, /);
  writeFileSync(path('copy.low'), stores.replace(/f32\.store\((%\w+), /g, 'f32.store(i32.add($1, 64), '));
  for (const level of ['low', 'wasm'])
    assert.match(
      (await fuselane('run', path('copy.low'), ...copy, level)).stderr,
      /written where it must not: byte \d+, behind the last buffer/,
    );
  writeFileSync(path('tiny.graph'), (await fuselane('dump', path('tiny.onnx'), '--at=graph')).stdout);
  /** @type {[string[], RegExp][]} */
  const errors = [
    [['run', path('tiny.graph')], /is a graph.*run its model/],
    [['run', task], /need sizes: give batches, rows, depth, whole_panels/],
    [['run', task, ...sizes, '--size', 'n=3'], /no size n: there are batches/],
    [['run', task, '--size', 'rows=x'], /--size rows=x must be name=number/],
    [['run', task, ...sizes, '--size', 'rows=2147483647', '--size=depth=0'], /buffer c is larger/],
    [['run', task, ...sizes, '-i', 'a=random:3'], /"a" takes 35 elements of float32.*not float32 \[3\]/],
    [['run', task, ...sizes, '-i', 'q=random:3'], /no buffer "q"; it reads a, w/],
    [['run', task, ...sizes, '--at', 'graph'], /not run at level "graph": it is at loops, low, wasm/],
    [['run', path('product.low')], /--of/],
    [['run', path('tiny.onnx'), '--at', 'wasm'], /--at is for texts/],
  ];
  for (const [args, message] of errors) {
    const { code, stderr } = await fuselane(...args);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, message);
  }
});

test('errors are one sentence with code and place, and exit code 1', async () => {
  writeFileSync(path('page.onnx'), '<html></html>');
  writeFileSync(path('bad.npy'), 'no');
  const tiny = path('tiny.onnx');
  /** @type {[string[], RegExp][]} */
  const cases = [
    [['info', path('none.onnx')], /^error: .*none\.onnx cannot be opened.*\(read-failed\)\n$/],
    [['info', path('page.onnx')], /^error: .*HTML page.*\(invalid-model.*\)\n$/],
    [['run', tiny, '--input', 'X=random'], /^error: .*'X'.*'x'.*\(invalid-input\)\n$/],
    [['run', tiny, '--input', 'nonsense'], /^error: --input nonsense must be name=/],
    [['run', tiny, '--input', `x=${path('bad.npy')}`], /^error: .*bad\.npy is no \.npy file/],
    [['run', tiny, '--input', 'x=nowhere.npy'], /^error: .*nowhere\.npy/],
    [['run', tiny, '--input', `x=${picture('exit.png')}`], /^error: "x" takes no picture/],
    [['run', tiny, '--repeat', '0'], /at least 1/],
    [
      ['dump', tiny, '--at=graph', '--pass=nothing'],
      /^error: .*nothing.*fold_constants.*\(invalid-argument\)\n$/,
    ],
    [['dump', tiny, '--at=nothing'], /^error: .*nothing.*\(invalid-argument\)\n$/],
    [['dump', tiny], /--at/],
    [['explode'], /unknown command 'explode'/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await fuselane(...args);
    assert.deepEqual([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /^ +at /m, 'no stack');
  }
  const { code, stdout } = await fuselane('info', path('page.onnx'), '--json');
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).error.code, 'invalid-model');
});

test('.npy keeps every type, and what is none is refused', () => {
  /** @type {Parameters<typeof writeNpy>[0][]} */
  const tensors = [
    { type: 'float32', dims: [], data: Float32Array.of(1.5) },
    { type: 'float64', dims: [2], data: Float64Array.of(1, Infinity) },
    { type: 'float16', dims: [1, 2], data: Uint16Array.of(0x3c00, 1) },
    { type: 'int8', dims: [2], data: Int8Array.of(-1, 3) },
    { type: 'int16', dims: [1], data: Int16Array.of(-300) },
    { type: 'int32', dims: [1, 1], data: Int32Array.of(-70000) },
    { type: 'int64', dims: [1], data: BigInt64Array.of(-(2n ** 60n)) },
    { type: 'uint8', dims: [0, 4], data: new Uint8Array(0) },
    { type: 'uint16', dims: [1], data: Uint16Array.of(65535) },
    { type: 'uint32', dims: [1], data: Uint32Array.of(4e9) },
    { type: 'uint64', dims: [1], data: BigUint64Array.of(2n ** 63n) },
    { type: 'bool', dims: [2], data: Uint8Array.of(1, 0) },
    { type: 'complex64', dims: [1], data: Float32Array.of(1, 2) },
    { type: 'complex128', dims: [1], data: Float64Array.of(1, 2) },
  ];
  for (const tensor of tensors) {
    const bytes = writeNpy(tensor);
    assert.deepEqual(readNpy(bytes, 't'), tensor);
    assert.equal((bytes.length - tensor.data.byteLength) % 64, 0);
  }
  // What numpy.save writes for numpy.float32([[1, 2]]), in versions 1.0 and 2.0.
  const text = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  const data = Buffer.from(Float32Array.of(1, 2).buffer);
  const one = Buffer.concat([
    Buffer.from('\x93NUMPY\x01\x00\x76\x00', 'latin1'),
    Buffer.from(text.padEnd(117) + '\n'),
    data,
  ]);
  const two = Buffer.concat([
    Buffer.from('\x93NUMPY\x02\x00\x74\x00\x00\x00', 'latin1'),
    Buffer.from(text.padEnd(115) + '\n'),
    data,
  ]);
  for (const bytes of [one, two])
    assert.deepEqual(readNpy(bytes, 'n'), { type: 'float32', dims: [1, 2], data: Float32Array.of(1, 2) });
  const altered = (/** @type {string} */ from, /** @type {string} */ to) =>
    Buffer.from(one.toString('latin1').replace(from, to), 'latin1');
  /** @type {[Buffer, RegExp][]} */
  const bad = [
    [altered('NUMPY', 'PUMPY'), /n is no \.npy file/],
    [altered('\x01\x00', '\x09\x00'), /version 9/],
    [altered('<f4', '>f4'), /type >f4/],
    [altered('<f4', '<U4'), /type <U4/],
    [altered('False', 'True '), /column by column/],
    [one.subarray(0, 60), /ends within its header/],
    [one.subarray(0, one.length - 1), /7 bytes of data; its shape \[1, 2\] of <f4 needs 8/],
  ];
  for (const [bytes, message] of bad) assert.throws(() => readNpy(bytes, 'n'), { message });
});

test('npm start reads the text in a picture', async () => {
  const { readText } = await import('../../dist/read_text/read_text.js');
  const { file, text } = pictures.lines[1];
  /** @type {string[]} */
  const lines = [];
  const log = console.log;
  console.log = (line) => lines.push(line);
  try {
    assert.equal(await readText(picture(file)), 0);
  } finally {
    console.log = log;
  }
  assert.match(lines.join('\n'), new RegExp(`text +${text}\\n.*\\n.*time +[\\d.]+ ms to read`));
  const table = lines.join('\n').match(/^(as exported|optimized).*$/gm) ?? [];
  const nodes = table.map((line) => Number(/ {2}(\d+) /.exec(line)?.[1]));
  assert.ok(table.length >= 2 && nodes[1] < nodes[0], table.join('\n'));
  for (const line of table) assert.match(line, / [1-9]\d* +[\d.]+ (ms|s) +[\d.]+ MB$/);
});
