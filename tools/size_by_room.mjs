// Says how many bytes of the wasm core each room of src/ takes.
//
//   node tools/size_by_room.mjs build/wasm/web-glue     (reads web-glue.wasm and web-glue.map)
//
// The linker's map lists every function and every piece of data with the object file it came from, before
// wasm-opt makes the module smaller; which function ends in which byte afterwards is not known. So the linked
// bytes of a room are scaled by the ratio of the final size to the linked size: rooms add up to the file's
// size, each is right to a few percent. A template of the standard library counts for the room that
// instantiates it. Data that starts as zeros takes no bytes.

import { readFileSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * Raw bytes of the core with threads that the build may not pass. (onnxruntime-web 1.30: 14.2 MB.) The compiler of loops
 * (loop, schedule, lower, low, emit) is 112 kB of it, depthwise convolutions 7 kB of that. The passes that find
 * normalizations and activations scattered over many nodes are 8 kB, views and destinations of values
 * (assemble/location.h) 16 kB, Winograd's filtering 13 kB, stages (plan/stages.h) 8 kB. Polynomials of fixed-size terms
 * (loop/index.h), places kept by variable and memcpy by pieces of 16 bytes (wasm/memory.cc) are 4 kB.
 */
export const budget = 770_000;

const systemPart = 'C, C++ and Emscripten libraries';
const restPart = 'types, imports, tables, glue of the linker';

/**
 * Which part of the project an object file belongs to: an archive is named after its room.
 * @param {string} object for example `libgraph.a(verify.cc.o)`
 */
function partOf(object) {
  if (object.includes('/emscripten/cache/') || object.includes('/sysroot/lib/')) return systemPart;
  const room = /(?:^|\/)lib([a-z]+)\.a\(/.exec(object)?.[1];
  if (room) return room;
  return object.startsWith('wasm/') ? 'bindings (wasm/)' : restPart;
}

/**
 * The linked bytes of each part.
 * @param {string} map the text that wasm-ld writes for --Map: address, offset and size in hexadecimal, then the
 *   object and its symbol
 * @returns {Map<string, number>}
 */
export function linkedBytes(map) {
  const bytes = new Map();
  let total = 0;
  for (const line of map.split('\n')) {
    const section = /^ +- +[0-9a-f]+ +([0-9a-f]+) ([A-Z]+)/.exec(line);
    if (section && section[2] !== 'CUSTOM') total += Number.parseInt(section[1], 16);
    const piece = /^ +[-0-9a-f]+ +([0-9a-f]+) +([0-9a-f]+) {9}(\S.*):\(.*\)$/.exec(line);
    if (!piece || piece[1] === '0') continue; // offset 0: not in the file
    const part = partOf(piece[3]);
    bytes.set(part, (bytes.get(part) ?? 0) + Number.parseInt(piece[2], 16));
  }
  let known = 0;
  for (const [part, size] of bytes) if (part !== restPart) known += size;
  return bytes.set(restPart, total - known);
}

/**
 * The table as text, largest part first, and the size of the file.
 * @param {string} core path of the core without `.wasm`
 */
export function sizeByRoom(core) {
  const size = statSync(`${core}.wasm`).size;
  const linked = linkedBytes(readFileSync(`${core}.map`, 'utf8'));
  const sum = [...linked.values()].reduce((a, b) => a + b, 0);
  const rows = [...linked].map(([part, bytes]) => ({ part, bytes: Math.round((bytes * size) / sum) }));
  rows.sort((a, b) => b.bytes - a.bytes);
  const lines = rows.map(({ part, bytes }) => {
    const share = ((100 * bytes) / size).toFixed(1).padStart(5);
    return `  ${bytes.toLocaleString('en').padStart(9)}  ${share}%  ${part}`;
  });
  return { size, text: [`${core}.wasm: ${size.toLocaleString('en')} bytes`, ...lines].join('\n') };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const core = process.argv[2];
  if (!core) throw new Error('usage: node tools/size_by_room.mjs build/wasm/web-glue');
  console.log(sizeByRoom(core).text);
}
