// @ts-check
// Emitted modules do what the interpreter of the low IR says. A native program (tests/support/emit_cases) makes
// modules with inputs and what the interpreter makes of them: each instruction, and random functions. This engine
// runs the bytes; Binaryen and wabt say whether they are valid, and wabt reads the text that is printed from the
// bytes back to the same bytes.
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

/** @typedef {{ after: string, trap: string }} Outcome */
/** @typedef {Outcome & { function: string, before: string, twice?: Outcome }} Call */
/** @typedef {{ name: string, relaxed: boolean, shared: boolean, bytes: string, wat: string, calls: Call[] }} Case */

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'emit-'));
after(() => rmSync(folder, { recursive: true }));

/** @type {Case[]} */
const cases = makeCases();
const bytesOf = (/** @type {Case} */ { bytes }) => new Uint8Array(Buffer.from(bytes, 'hex'));

// A module with one relaxed instruction. Node 20 has them behind a flag, later ones always.
const relaxed = cases.find((each) => each.relaxed);
assert.ok(relaxed);
if (!WebAssembly.validate(bytesOf(relaxed))) setFlagsFromString('--experimental-wasm-relaxed-simd');

/** Behind the flag of Node 20 this gives the dot product twice and leaves out the third operand; in Node 24 it is right. */
const wrongInNode20 = 'i32x4.relaxed_dot_i8x16_i7x16_add_s';

function makeCases() {
  const preset = 'native-san';
  /** @type {import('node:child_process').ExecFileSyncOptions} */
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync('cmake', ['--preset', preset], options);
  execFileSync('cmake', ['--build', '--preset', preset, '--target', 'emit_cases'], options);
  const count = process.env.FUSELANE_TEST_ALL ? '2000' : '100';
  const text = execFileSync(
    join(root, 'build', preset, 'tests', 'emit_cases'),
    [process.env.FUSELANE_SEED ?? '1', count],
    {
      maxBuffer: 2 ** 30,
      encoding: 'utf8',
    },
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

test('Binaryen finds all modules valid', () => {
  for (const it of cases) {
    const module = binaryen.readBinary(bytesOf(it));
    module.setFeatures(binaryen.Features.All);
    const valid = module.validate();
    module.dispose();
    assert.equal(valid, 1, `${it.name}\n${it.wat}`);
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
