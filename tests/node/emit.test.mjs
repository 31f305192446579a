// @ts-check
// Emitted modules do what the interpreter of the low IR says. A native program (tests/support/emit_cases) makes
// modules with inputs and what the interpreter makes of them: each instruction, and random functions. This engine
// runs the bytes; Binaryen and wabt say whether they are valid, and wabt reads the text that is printed from the
// bytes back to the same bytes. Another program (tests/support/lowered_cases) does so with kernels of tasks.
//
// FUSELANE_SEED=n takes other random modules, and FUSELANE_TEST_ALL=1 more.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import binaryen from 'binaryen';
import { Workbench } from '../../dist/cli/workbench.js';

/** @typedef {{ after: string, trap: string }} Outcome */
/** @typedef {Outcome & { function: string, before: string, twice?: Outcome }} Call */
/** @typedef {{ name: string, relaxed: boolean, shared: boolean, bytes: string, wat: string, calls: Call[] }} Case */
/**
 * @typedef {object} Kernel
 * @property {string} task
 * @property {string} schedule
 * @property {import('fuselane').SimdLevel} simd
 * @property {string} bytes
 * @property {number} pages of memory, of which what is before and after a call is the end
 * @property {number} arguments the address of the kernel's arguments
 * @property {number[]} cuts of its range, from begin to end
 * @property {string} before
 * @property {string} after by the interpreter
 * @property {string} [twice] after it where madd rounds twice
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'emit-'));
after(() => rmSync(folder, { recursive: true }));

const isLong = Boolean(process.env.FUSELANE_TEST_ALL);
/** @type {Case[]} */
const cases = makeCases('emit_cases', isLong ? 2000 : 100);
/** `gap` are the bits of what no kernel may touch. @type {{ gap: number, cases: Kernel[] }} */
const kernels = makeCases('lowered_cases', isLong ? 1000 : 40);
const bytesOf = (/** @type {{ bytes: string }} */ { bytes }) => new Uint8Array(Buffer.from(bytes, 'hex'));

// A module with one relaxed instruction. Node 20 has them behind a flag, later ones always.
const relaxed = cases.find((each) => each.relaxed);
assert.ok(relaxed);
if (!WebAssembly.validate(bytesOf(relaxed))) setFlagsFromString('--experimental-wasm-relaxed-simd');

/** Behind the flag of Node 20 this gives the dot product twice and leaves out the third operand; in Node 24 it is right. */
const wrongInNode20 = 'i32x4.relaxed_dot_i8x16_i7x16_add_s';

/** @param {string} program @param {number} count */
function makeCases(program, count) {
  const preset = 'native-san';
  /** @type {import('node:child_process').ExecFileSyncOptions} */
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('cmake', ['--preset', preset], options);
  execFileSync('cmake', ['--build', '--preset', preset, '--target', program], options);
  const text = execFileSync(
    join(root, 'build', preset, 'tests', program),
    [process.env.FUSELANE_SEED ?? '1', String(count)],
    { maxBuffer: 2 ** 30, encoding: 'utf8' },
  );
  return JSON.parse(text);
}

/**
 * What the engine makes of a case's calls: the begin of the memory, and whether each trapped.
 * @param {Case} it
 * @returns {Outcome[]}
 */
function outcomes(it) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 4, shared: it.shared });
  const bytes = new Uint8Array(memory.buffer);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(it)), { env: { memory } });
  return it.calls.map((call) => {
    bytes.fill(0).set(Buffer.from(call.before, 'hex'));
    let trap = '';
    try {
      /** @type {() => void} */ (exports[call.function])();
    } catch (error) {
      trap = String(error);
    }
    return { after: Buffer.from(bytes.slice(0, call.after.length / 2)).toString('hex'), trap };
  });
}

/**
 * @param {Outcome} got
 * @param {Outcome} expected
 */
const same = (got, expected) => got.after === expected.after && (got.trap === '') === (expected.trap === '');

test('the engine does what the interpreter does', () => {
  let calls = 0;
  let traps = 0;
  for (const it of cases.filter((each) => !each.relaxed)) {
    for (const [i, got] of outcomes(it).entries()) {
      const call = it.calls[i];
      if (!same(got, call))
        assert.fail(`${it.name}, ${call.function}: ${JSON.stringify({ got, call })}\n${it.wat}`);
      calls += 1;
      traps += got.trap ? 1 : 0;
    }
  }
  assert.ok(calls > 3000 && traps > 10 && traps < calls / 4, `${calls} calls, ${traps} traps`);
});

test('and with relaxed instructions, of which madd rounds once on some machines and twice on others', () => {
  const roundsTwice = new Set();
  for (const it of cases.filter((each) => each.relaxed)) {
    for (const [i, got] of outcomes(it).entries()) {
      const call = it.calls[i];
      if (call.function === wrongInNode20 && process.versions.node.startsWith('20.')) continue;
      assert.ok(call.twice);
      const once = same(got, call);
      const twice = same(got, call.twice);
      if (!once && !twice)
        assert.fail(`${it.name}, ${call.function}: ${JSON.stringify({ got, call })}\n${it.wat}`);
      if (once !== twice) roundsTwice.add(twice);
    }
  }
  assert.equal(roundsTwice.size, 1);
});

/**
 * What the engine makes of a kernel's memory, called for the whole range or for its pieces.
 * @param {Kernel} it
 * @param {number[]} cuts
 */
function memoryAfter(it, cuts) {
  const memory = new WebAssembly.Memory({ initial: it.pages });
  const image = Buffer.from(it.before, 'hex');
  const window = new Uint8Array(memory.buffer, memory.buffer.byteLength - image.length);
  window.set(image);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(it)), { env: { memory } });
  const [kernel] = /** @type {Function[]} */ (Object.values(exports));
  for (const [i, end] of cuts.slice(1).entries()) assert.equal(kernel(it.arguments, cuts[i], end), 0);
  return window;
}

/**
 * Whether two memories hold the same words, but for the sign and payload of NaN that arithmetic made.
 * @param {Uint8Array} got
 * @param {string} [hex]
 */
function isSameMemory(got, hex = '') {
  const expected = Uint8Array.from(Buffer.from(hex, 'hex'));
  const words = (/** @type {Uint8Array} */ bytes) =>
    new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const isNaN32 = (/** @type {number} */ bits) => (bits & 0x7fffffff) > 0x7f800000 && bits !== kernels.gap;
  const [a, b] = [words(got), words(expected)];
  return a.length === b.length && a.every((word, i) => word === b[i] || (isNaN32(word) && isNaN32(b[i])));
}

test('kernels compute in the engine what they do in the interpreter, in one call and in pieces', () => {
  const roundings = { once: 0, twice: 0 };
  for (const it of kernels.cases) {
    const [begin, end] = [it.cuts[0], it.cuts[it.cuts.length - 1]];
    for (const cuts of [[begin, end], it.cuts]) {
      const got = memoryAfter(it, cuts);
      const once = isSameMemory(got, it.after);
      const twice = it.simd === 'relaxed' ? isSameMemory(got, it.twice) : once;
      assert.ok(once || twice, `${it.task} for ${it.simd}, calls ${cuts.join(', ')}\n${it.schedule}`);
      roundings.once += once && !twice ? 1 : 0;
      roundings.twice += twice && !once ? 1 : 0;
    }
  }
  assert.equal(Math.min(roundings.once, roundings.twice), 0, JSON.stringify(roundings));
  assert.ok(roundings.once + roundings.twice > 10, 'madd made no difference');
});

test('the core in wasm makes the bytes that the native one makes', async () => {
  const workbench = await Workbench.open();
  for (const { task, schedule, simd, bytes } of kernels.cases)
    assert.equal(Buffer.from(workbench.assemble(task, { schedule, simd })).toString('hex'), bytes, task);
});

test('Binaryen finds all modules valid', () => {
  for (const it of [...cases, ...kernels.cases]) {
    const module = binaryen.readBinary(bytesOf(it));
    module.setFeatures(binaryen.Features.All);
    const valid = module.validate();
    module.dispose();
    assert.equal(valid, 1, 'wat' in it ? `${it.name}\n${it.wat}` : `${it.task} for ${it.simd}`);
  }
});

test('wabt finds them valid, and reads their text back to the same bytes', () => {
  const wasm = join(folder, 'module.wasm');
  const wat = join(folder, 'module.wat');
  const run = (/** @type {string} */ program, /** @type {string[]} */ ...args) => {
    const { status, stderr, error } = spawnSync(program, ['--enable-threads', ...args], { encoding: 'utf8' });
    if (error) throw error;
    assert.equal(status, 0, stderr);
  };
  for (const it of cases.filter((each) => !each.relaxed)) {
    writeFileSync(wasm, bytesOf(it));
    run('wasm-validate', wasm);
    writeFileSync(wat, it.wat);
    run('wat2wasm', wat, '-o', wasm);
    assert.equal(readFileSync(wasm).toString('hex'), it.bytes, it.wat);
  }
});
