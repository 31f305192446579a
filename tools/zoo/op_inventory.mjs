// @ts-check
// Prints what ONNX files ask of an engine: opsets, inputs, outputs, and each operator with how often it occurs and the
// attribute values and numbers of operands it occurs with; at the end the same over all files.
//
//   node tools/zoo/op_inventory.mjs FILE.onnx ...

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readModel } from './onnx_wire.mjs';

/** @typedef {import('./onnx_wire.mjs').Graph} Graph */
/** @typedef {import('./onnx_wire.mjs').AttributeValue} AttributeValue */
/** @typedef {Map<string, { count: number, variants: Map<string, number> }>} Inventory */

/** @param {AttributeValue} value @returns {string} */
function printed(value) {
  if (typeof value === 'number') return Number.isInteger(value) ? `${value}` : value.toPrecision(6);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    if (value.length && typeof value[0] === 'object') return `${value.length} graphs`;
    return `[${value.map((v) => printed(/** @type {number | string} */ (v))).join(' ')}]`;
  }
  if ('nodes' in value) return `{${value.nodes.length} nodes}`;
  return `${value.type} rank ${value.dims.length} ${value.storage}`;
}

/**
 * Which operands are there: `i` given, `c` a constant of the graph, `-` left out.
 * @param {string[]} names
 * @param {Set<string>} constants
 */
function operands(names, constants) {
  if (names.length > 6) return `${names.length} operands`;
  return names.map((name) => (name === '' ? '-' : constants.has(name) ? 'c' : 'i')).join('');
}

/**
 * @param {Graph} graph
 * @param {Inventory} inventory
 * @param {Set<string>} outer constants of the graphs around this one
 */
function collect(graph, inventory, outer) {
  const constants = new Set([...outer, ...graph.initializers.map((t) => t.name)]);
  for (const node of graph.nodes) if (node.op === 'Constant') constants.add(node.outputs[0]);
  for (const node of graph.nodes) {
    const op = node.domain === '' || node.domain === 'ai.onnx' ? node.op : `${node.domain}.${node.op}`;
    const row = inventory.get(op) ?? { count: 0, variants: new Map() };
    inventory.set(op, row);
    row.count++;
    const attributes = node.attributes.map((a) => `${a.name}=${printed(a.value)}`).sort();
    const outputs = node.outputs.map((name) => (name === '' ? '-' : 'o')).join('');
    const variant = [`(${operands(node.inputs, constants)})->${outputs}`, ...attributes].join(' ');
    row.variants.set(variant, (row.variants.get(variant) ?? 0) + 1);
    for (const { value } of node.attributes) {
      if (typeof value !== 'object') continue;
      if ('nodes' in value) collect(value, inventory, constants);
      else if (Array.isArray(value) && typeof value[0] === 'object')
        for (const inner of /** @type {Graph[]} */ (value)) collect(inner, inventory, constants);
    }
  }
}

/** @param {Inventory} inventory @param {number} most variants printed for one operator */
function print(inventory, most) {
  for (const [op, { count, variants }] of [...inventory].sort((a, b) => (a[0] < b[0] ? -1 : 1))) {
    console.log(`  ${op} x${count}`);
    const sorted = [...variants].sort((a, b) => b[1] - a[1]);
    for (const [variant, times] of sorted.slice(0, most))
      console.log(`    ${String(times).padStart(4)}  ${variant}`);
    if (sorted.length > most) console.log(`          and ${sorted.length - most} further variants`);
  }
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node tools/zoo/op_inventory.mjs FILE.onnx ...');
  process.exit(2);
}
/** @type {Map<string, Map<string, string>>} */
const everywhere = new Map();
for (const file of files) {
  const model = readModel(await readFile(file));
  const opsets = model.opsets.map((o) => `${o.domain || 'ai.onnx'}:${o.version}`).join(' ');
  console.log(
    `${basename(file)}  ir ${model.irVersion}  ${opsets}  by ${model.producer}  functions ${model.functions}`,
  );
  const shown = (/** @type {import('./onnx_wire.mjs').ValueInfo} */ v) =>
    `${v.name}: ${v.type} [${v.dims?.join(', ') ?? '...'}]`;
  console.log(`  in   ${model.graph.inputs.map(shown).join('; ')}`);
  console.log(`  out  ${model.graph.outputs.map(shown).join('; ')}`);
  const weights = new Map();
  for (const t of model.graph.initializers) {
    const kind = `${t.type} ${t.storage}`;
    weights.set(kind, (weights.get(kind) ?? 0) + 1);
  }
  console.log(`  initializers  ${[...weights].map(([kind, n]) => `${n} ${kind}`).join(', ') || 'none'}`);
  /** @type {Inventory} */
  const inventory = new Map();
  const version = String(model.opsets.find((o) => o.domain === '' || o.domain === 'ai.onnx')?.version);
  collect(model.graph, inventory, new Set());
  print(inventory, 40);
  console.log('');
  for (const [op, { count }] of inventory) {
    const row = everywhere.get(op) ?? new Map();
    everywhere.set(op, row.set(`${basename(file, '.onnx')}@${version}`, String(count)));
  }
}
console.log('operator: the models (with their opset) that use it');
for (const [op, models] of [...everywhere].sort((a, b) => (a[0] < b[0] ? -1 : 1)))
  console.log(`  ${op}: ${[...models].map(([name, n]) => `${name} x${n}`).join(', ')}`);
