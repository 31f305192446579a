// What the compiler makes of the network: nodes, time and memory as it was exported and optimized, on one thread and on all.

import { availableParallelism } from 'node:os';
import type { EngineOptions, LoadOptions, Report } from 'fuselane';
import { median, megabytes, milliseconds } from '../cli/text.js';
import { LineReader } from './readers.js';
import type { Picture } from '../ocr/picture.js';

interface Way {
  readonly name: string;
  readonly options: EngineOptions & LoadOptions;
  /** Runs before the timed ones: until then V8 runs its first, slow code. */
  readonly warmUp: number;
  readonly runs: number;
}

const ways: readonly Way[] = [
  {
    name: 'as exported, scalar reference',
    options: { threads: 1, knobs: { passes: 'none', kernels: false } },
    warmUp: 0,
    runs: 1,
  },
  { name: 'optimized, 1 thread', options: { threads: 1 }, warmUp: 4, runs: 7 },
  ...(availableParallelism() > 1
    ? [{ name: 'optimized, all threads', options: {}, warmUp: 4, runs: 7 }]
    : []),
];

/** A table as text, one line a way of running the network on this picture. */
export async function tableOfWays(picture: Picture): Promise<string> {
  const lines = [['', 'nodes', 'threads', 'time', 'memory']];
  for (const way of ways) {
    const { ms, report } = await measure(way, picture);
    const { nodes, threads, heapBytes } = report;
    lines.push([way.name, String(nodes), String(threads), milliseconds(ms), megabytes(heapBytes)]);
  }
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? '').length)),
  );
  const pad = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(pad).join('  ')).join('\n');
}

/** The median time of one reading; the memory is the engine's, which never shrinks: its peak. */
async function measure(way: Way, picture: Picture): Promise<{ ms: number; report: Report }> {
  const reader = await LineReader.load(way.options);
  const times: number[] = [];
  for (let i = -way.warmUp; i < way.runs; i++) {
    const start = performance.now();
    await reader.read(picture);
    if (i >= 0) times.push(performance.now() - start);
  }
  const report = await reader.report();
  await reader.dispose();
  return { ms: median(times), report };
}
