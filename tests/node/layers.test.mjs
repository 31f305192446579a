// @ts-check
// The house stands as src/layers.txt says: a room of src/ includes itself and the rooms of its line, nothing in src/ uses what the
// core must not carry (Emscripten, formatting, streams, JSON) or throws, and wasm/ and tools/ see the engine alone.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sourceEndings = new Set(['.h', '.hpp', '.cc', '.cpp', '.c', '.def', '.inc']);
const forbiddenHeader =
  /emscripten|json|^(format|print|iostream|istream|ostream|fstream|sstream|strstream|syncstream|iomanip|locale|regex|filesystem)$/i;
const forbiddenName = /\bstd\s*::\s*(format\w*|print\w*|cout|cerr|clog|locale|regex|filesystem)\b/;

/** @typedef {{ name: string, kind: string, mayInclude: Set<string> }} Room */

/**
 * The rooms of the table, in its order. `all` stands for every room above.
 * @param {string} table
 * @returns {Map<string, Room>}
 */
function readTable(table) {
  const rooms = new Map();
  for (const line of table.split('\n')) {
    const [name, kind, ...lower] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (!name) continue;
    if (rooms.has(name)) throw new Error(`room ${name} stands twice in the table`);
    for (const room of lower) {
      if (room === 'all') continue;
      if (!rooms.has(room)) throw new Error(`${name} may include ${room}, which does not stand above it`);
      if (kind === 'verb' && rooms.get(room).kind === 'verb')
        throw new Error(`the verb ${name} includes the verb ${room}`);
    }
    rooms.set(name, {
      name,
      kind,
      mayInclude: new Set(lower.includes('all') ? rooms.keys() : lower).add(name),
    });
  }
  return rooms;
}

/**
 * The text without comments, and without the insides of literals where `literals` is false; lines stay where they are.
 * @param {string} text
 * @param {boolean} literals
 */
function bare(text, literals) {
  const token =
    /\/\/[^\n]*|\/\*[^]*?\*\/|R"([^\s()\\]{0,16})\([^]*?\)\1"|"(?:\\[^]|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\[^]|[^'\\\n])+'/g;
  return text.replace(token, (found) => {
    const comment = found.startsWith('//') || found.startsWith('/*');
    return comment || !literals ? found.replace(/[^\n]/g, ' ') : found;
  });
}

/**
 * @param {string} text without comments
 * @returns {{ line: number, path: string, quoted: boolean }[]}
 */
function includesOf(text) {
  return text.split('\n').flatMap((line, index) => {
    const found = /^\s*#\s*(?:include|import)\s*(?:<([^>]*)>|"([^"]*)"|(\S.*))/.exec(line);
    if (!found) return [];
    return [
      { line: index + 1, path: found[1] ?? found[2] ?? found[3] ?? '', quoted: found[1] === undefined },
    ];
  });
}

/**
 * What is wrong with a file of src/, a sentence each.
 * @param {Map<string, Room>} rooms
 * @param {string} path from the repository's root, with slashes
 * @param {string} text
 * @returns {string[]}
 */
function checkSource(rooms, path, text) {
  const [, name = '', ...below] = path.split('/');
  const room = rooms.get(name);
  if (!room || below.length === 0) return [`${path}: lies in no room of src/layers.txt`];
  /** @type {string[]} */
  const wrong = [];
  for (const include of includesOf(bare(text, true))) {
    const say = (/** @type {string} */ what) => wrong.push(`${path}:${include.line}: ${what}`);
    const [target = ''] = include.path.split('/');
    if (forbiddenHeader.test(include.path)) say(`<${include.path}> does not belong in src/`);
    else if (!include.quoted && rooms.has(target)) say(`"${include.path}" is written with quotes`);
    else if (include.quoted && !rooms.has(target)) say(`"${include.path}" is not written from src/`);
    else if (include.quoted && !room.mayInclude.has(target)) say(`${name} may not include ${target}`);
    if (include.path.split('/').includes('..')) say(`"${include.path}" leaves its room`);
  }
  bare(text, false)
    .split('\n')
    .forEach((line, index) => {
      const say = (/** @type {string} */ what) => wrong.push(`${path}:${index + 1}: ${what}`);
      const library = forbiddenName.exec(line);
      if (library) say(`${library[0]} does not belong in src/`);
      if (/\bthrow\b/.test(line)) say('errors are values, nothing throws');
      const guards = path === 'src/base/guard.cc';
      if (/\btry\b/.test(line) && !guards) say('only base/guard.cc catches');
      if (
        /\bcatch\b/.test(line) &&
        !(guards && /\bcatch\s*\(\s*const std::bad_alloc\s*&\s*\w*\s*\)/.test(line))
      )
        say('only base/guard.cc catches, and only std::bad_alloc');
    });
  return wrong;
}

/**
 * The types that a file defines in namespaces that have names, with those: what the linker takes for the same type wherever it
 * stands.
 * @param {string} text
 * @returns {string[]}
 */
function typesOf(text) {
  const token =
    /\bnamespace\b\s*([\w:]*)\s*\{|\b(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+((?:\w+::)*\w+)(?:\s+final)?\s*(?::(?!:)[^;{}()]*)?\{|[{}]/g;
  /** What is open: a namespace, or null for anything else. @type {(string | null)[]} */
  const open = [];
  const types = [];
  for (const [found, namespace, type] of bare(text, false).matchAll(token)) {
    const isShared = open.every((each) => each !== null && each !== '');
    if (type !== undefined && isShared && open.length > 0) types.push([...open, type].join('::'));
    if (found === '}') open.pop();
    else open.push(namespace === undefined ? null : namespace);
  }
  return types;
}

/**
 * What is wrong with a C++ file of wasm/ or tools/: of the core it may see the engine alone.
 * @param {Map<string, Room>} rooms
 * @param {string} path
 * @param {string} text
 * @returns {string[]}
 */
function checkUser(rooms, path, text) {
  return includesOf(bare(text, true)).flatMap((include) => {
    const parts = include.path.split('/');
    const [target = ''] = parts;
    const inside = target === 'src' || parts.includes('..') || (rooms.has(target) && target !== 'engine');
    return inside
      ? [`${path}:${include.line}: includes "${include.path}", and may include "engine/..." only`]
      : [];
  });
}

/**
 * C++ files under a folder, as paths from the repository's root.
 * @param {string} folder
 * @returns {string[]}
 */
function sourcesUnder(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return sourcesUnder(path);
      return sourceEndings.has(extname(entry.name)) ? [path] : [];
    });
}

const read = (/** @type {string} */ path) => readFileSync(join(root, path), 'utf8');
const table = readTable(read('src/layers.txt'));

test('every folder of src/ is a room of the table', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  for (const { name } of folders) assert.ok(table.has(name), `src/${name} is not in src/layers.txt`);
  assert.ok(folders.length > 0);
});

test('every file of src/ keeps to its room', () => {
  const files = sourcesUnder('src');
  assert.ok(files.length > 40, `only ${files.length} files found`);
  assert.deepEqual(
    files.flatMap((path) => checkSource(table, path, read(path))),
    [],
  );
});

test('no two types have the same name in the same namespace', () => {
  /** @type {Map<string, string>} */
  const seen = new Map();
  for (const path of sourcesUnder('src')) {
    for (const type of typesOf(read(path))) {
      assert.ok(!seen.has(type), `${type} stands in ${seen.get(type)} and in ${path}`);
      seen.set(type, path);
    }
  }
  assert.ok(seen.size > 100, `only ${seen.size} types found`);
});

test('wasm/ and tools/ include the engine alone', () => {
  const files = [...sourcesUnder('wasm'), ...sourcesUnder('tools')];
  assert.deepEqual(
    files.flatMap((path) => checkUser(table, path, read(path))),
    [],
  );
});

const small = readTable(`
base base            # nothing
types noun base
import verb base types
run verb base types
engine facade all
`);

/** @type {[path: string, text: string, ...complaints: string[]][]} */
const cases = [
  ['src/run/a.cc', '#include "types/a.h"\n#include "run/b.h"\n#include <vector>'],
  ['src/base/guard.cc', 'try {\n} catch (const std::bad_alloc&) {\n}'],
  [
    'src/run/a.cc',
    '// try to throw, #include <iostream>\n/* catch\n#include <regex> */ f("throw", R"(try)", \'"\'); g("catch");',
  ],
  ['src/run/a.cc', "int n = 1'000; retry(); thrown(); int format = other::cout;"],
  ['src/types/a.cc', '#include "run/a.h"', 'src/types/a.cc:1: types may not include run'],
  ['src/run/a.cc', '\n# include "import/a.h"', 'src/run/a.cc:2: run may not include import'],
  ['src/run/a.cc', '#include "a.h"', 'src/run/a.cc:1: "a.h" is not written from src/'],
  ['src/run/a.cc', '#include <base/a.h>', 'src/run/a.cc:1: "base/a.h" is written with quotes'],
  ['src/run/a.cc', '#include HEADER', 'src/run/a.cc:1: "HEADER" is not written from src/'],
  [
    'src/run/deep/a.cc',
    '#include "run/../import/a.h"',
    'src/run/deep/a.cc:1: "run/../import/a.h" leaves its room',
  ],
  ['src/lower/a.cc', '', 'src/lower/a.cc: lies in no room of src/layers.txt'],
  ['src/a.cc', '', 'src/a.cc: lies in no room of src/layers.txt'],
  ['src/run/a.cc', 'auto s = std::format("{}", 1);', 'src/run/a.cc:1: std::format does not belong in src/'],
  ['src/run/a.cc', 'std::cout << 1;', 'src/run/a.cc:1: std::cout does not belong in src/'],
  ['src/engine/a.cc', 'f();\nthrow 1;', 'src/engine/a.cc:2: errors are values, nothing throws'],
  ['src/run/a.cc', 'auto s = "//"; try {', 'src/run/a.cc:1: only base/guard.cc catches'],
  [
    'src/run/a.cc',
    '} catch (const std::bad_alloc&) {',
    'src/run/a.cc:1: only base/guard.cc catches, and only std::bad_alloc',
  ],
  [
    'src/base/guard.cc',
    '} catch (...) {',
    'src/base/guard.cc:1: only base/guard.cc catches, and only std::bad_alloc',
  ],
  [
    'src/engine/a.cc',
    '} catch (const std::bad_alloc&) {',
    'src/engine/a.cc:1: only base/guard.cc catches, and only std::bad_alloc',
  ],
];
for (const [path, text, ...expected] of cases) {
  test(`the checker ${expected.length ? 'refuses' : 'accepts'} ${path}: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(checkSource(small, path, text), expected);
  });
}

test('the checker refuses the headers that the core must not carry', () => {
  const headers = [
    'emscripten.h',
    'emscripten/bind.h',
    'format',
    'print',
    'iostream',
    'fstream',
    'sstream',
    'locale',
  ];
  for (const header of [...headers, 'regex', 'filesystem', 'nlohmann/json.hpp']) {
    assert.deepEqual(checkSource(small, 'src/engine/a.h', `/* */ #include <${header}>`), [
      `src/engine/a.h:1: <${header}> does not belong in src/`,
    ]);
  }
});

test('the checker refuses inner rooms in wasm/ and tools/', () => {
  const text =
    '#include <emscripten/bind.h>\n#include "engine/engine.h"\n#include "run/a.h"\n#include "../src/run/a.h"';
  assert.deepEqual(checkUser(small, 'wasm/a.cc', text), [
    'wasm/a.cc:3: includes "run/a.h", and may include "engine/..." only',
    'wasm/a.cc:4: includes "../src/run/a.h", and may include "engine/..." only',
  ]);
});

test('types are found in the namespaces that have names', () => {
  const text = `namespace fuselane {
struct A; struct B { struct Inner {}; }; enum class C : uint8_t { X }; class D final : public B {};
template <class T> void f() { struct Local {}; }
namespace { struct Hidden {}; }  namespace loop { struct A {}; } // struct E {
}
struct Outside {};`;
  assert.deepEqual(typesOf(text), ['fuselane::B', 'fuselane::C', 'fuselane::D', 'fuselane::loop::A']);
});

test('the reader of the table refuses a table out of order', () => {
  assert.throws(
    () => readTable('types noun base\nbase base'),
    /types may include base, which does not stand above it/,
  );
  assert.throws(() => readTable('run verb\nimport verb run'), /the verb import includes the verb run/);
  assert.throws(() => readTable('base base\nbase base'), /base stands twice/);
});
