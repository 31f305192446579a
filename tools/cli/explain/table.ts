// A table of steps as wide as the terminal: numbers have the room they need, nodes and kernels share what is left.

import type { Step } from 'fuselane';
import { nodesText } from './structure.js';
import type { Peaks, Row, Totals } from './rows.js';

const kLeastText = 16;

/** Nodes are what a reader looks for first. */
const kShareOfNodes = 0.5;

const percent = (part: number): string => `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)}%`;

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [unit, size] = bytes < 999_500 ? ['kB', 1e3] : bytes < 999.5e6 ? ['MB', 1e6] : ['GB', 1e9];
  const value = bytes / size;
  return `${value.toFixed(value < 9.95 ? 1 : 0)} ${unit}`;
}

/** Cut to a width, the end shown by a sign. */
const fitted = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

export const kernelText = ({ kind, kernel }: Step): string =>
  kind === 'library' ? `library ${kernel}` : kernel;

interface Column {
  readonly name: string;
  readonly text: (row: Row) => string;
}

const numbers: readonly Column[] = [
  { name: '#', text: ({ number }) => String(number) },
  { name: 'ms', text: ({ milliseconds }) => milliseconds.toFixed(3) },
  { name: 'share', text: ({ share }) => percent(share) },
  { name: 'MMAC', text: ({ step }) => (step.multiplyAdds > 0 ? (step.multiplyAdds / 1e6).toFixed(2) : '') },
  { name: 'of peak', text: ({ ofPeak }) => (ofPeak === undefined ? '' : percent(ofPeak)) },
  { name: 'read', text: ({ step }) => bytesText(step.bytesRead) },
  { name: 'written', text: ({ step }) => bytesText(step.bytesWritten) },
  { name: 'of bandwidth', text: ({ ofBandwidth }) => percent(ofBandwidth) },
  { name: 'chunks', text: ({ step }) => (step.chunks > 1 ? String(step.chunks) : '') },
];

/** Lines of at most `width` characters, unless that is too narrow for the numbers and a few letters. */
export function tableLines(rows: readonly Row[], width: number): string[] {
  const cells = rows.map((row) => numbers.map(({ text }) => text(row)));
  const widths = numbers.map(({ name }, i) =>
    Math.max(name.length, ...cells.map((row) => row[i]?.length ?? 0)),
  );
  const left = width - widths.reduce((sum, each) => sum + each + 2, 0) - 2;
  const nodes = rows.map(({ step }) => nodesText(step));
  const kernels = rows.map(({ step }) => kernelText(step));
  const longest = (texts: readonly string[]): number =>
    Math.max(kLeastText, ...texts.map((text) => text.length));
  // Whoever needs less than its share leaves the rest to the other.
  const half = Math.floor(left * kShareOfNodes);
  const nodesWidth = Math.max(kLeastText, Math.min(longest(nodes), Math.max(half, left - longest(kernels))));
  const kernelWidth = Math.max(kLeastText, left - nodesWidth);
  const line = (texts: readonly string[], node: string, kernel: string): string => {
    const padded = texts.map((text, i) => text.padStart(widths[i] ?? 0));
    return [...padded, fitted(node, nodesWidth).padEnd(nodesWidth), fitted(kernel, kernelWidth)]
      .join('  ')
      .trimEnd();
  };
  return [
    line(numbers.map(({ name }) => name), 'nodes', 'kernel'),
    ...cells.map((texts, i) => line(texts, nodes[i] ?? '', kernels[i] ?? '')),
  ]; // prettier-ignore
}

export function totalLines(totals: Totals, peaks: Peaks): string[] {
  const { multiplyAdds, bytesRead, bytesWritten, ofPeak, arithmeticShare } = totals;
  const giga = (value: number): string => (value / 1e9).toFixed(1);
  const lines = [
    `${(multiplyAdds / 1e6).toFixed(1)} million multiply-adds, ${bytesText(bytesRead)} read, ${bytesText(bytesWritten)} written`,
  ];
  if (multiplyAdds > 0)
    lines.push(
      `steps with multiply-adds: ${percent(arithmeticShare)} of the time, at ${percent(ofPeak)} of the peak`,
    );
  lines.push(
    `measured here on as many threads: peak ${giga(peaks.operations)} GFLOP/s, memory ${giga(peaks.bytes)} GB/s`,
  );
  return lines;
}

/** One step with all its nodes and its schedule. */
export function stepLines({ number, step }: Row): string[] {
  const { nodes, kind, kernel, schedule, stage, chunks } = step;
  const lines = [`step ${number}: ${kind}${kind === 'reference' ? '' : ` ${kernel}`}`];
  if (nodes.length === 0) lines.push(`  ${nodesText(step)}`);
  for (const each of nodes) lines.push(`  ${each.operator} ${each.node}`);
  lines.push(
    chunks > 1
      ? `  ${chunks} chunks, which the threads share in stage ${stage}`
      : '  one thread runs it alone',
  );
  if (schedule !== undefined)
    lines.push(
      '  schedule',
      ...schedule
        .trimEnd()
        .split('\n')
        .map((move) => `    ${move}`),
    );
  return lines;
}
