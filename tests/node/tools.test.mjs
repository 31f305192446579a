// @ts-check
// The pieces of the set-up that decide something: versions, and what the linker's map says.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atLeast } from '../../tools/setup/machine.mjs';
import { linkedBytes } from '../../tools/size_by_room.mjs';

test('versions compare as numbers, part by part', () => {
  assert.ok(atLeast('3.1.69', '3.1.69'));
  assert.ok(atLeast('4.0', '3.1.69'));
  assert.ok(atLeast('3.1.100', '3.1.69'));
  assert.ok(!atLeast('3.1.6', '3.1.69'));
  assert.ok(!atLeast('3.1', '3.1.69'));
  assert.ok(!atLeast('18.20.4', '20.19'));
});

test("a room's bytes are its pieces of code and data that are in the file", () => {
  const map = [
    '    Addr      Off     Size Out     In      Symbol',
    '       -        8       10 TYPE',
    '       -      b82      100 CODE',
    '       -      b84       20         <internal>:(__wasm_call_ctors)',
    '       -      c2d       40         libgraph.a(verify.cc.o):(verify)',
    '       -      c2d       40                 verify',
    '       -      c6d       60         /x/emscripten/cache/sysroot/lib/wasm32-emscripten/libc.a(floatscan.o):(decfloat)',
    '       -      ccd       40         wasm/CMakeFiles/bindings.dir/values.cc.o:(plain)',
    '       -     d04e       30 DATA',
    '     fb4     dbfc       30         libgraph.a(ops.cc.o):(.rodata.table)',
    '    2114        0     1000         libgraph.a(ops.cc.o):(.bss.zeros)',
    '       -     ed5a     d15e CUSTOM(name)',
  ].join('\n');
  assert.deepEqual(Object.fromEntries(linkedBytes(map)), {
    graph: 0x40 + 0x30,
    'C, C++ and Emscripten libraries': 0x60,
    'bindings (wasm/)': 0x40,
    'types, imports, tables, glue of the linker': 0x10 + 0x20,
  });
});
