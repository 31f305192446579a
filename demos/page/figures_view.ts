// What it took: milliseconds of each stage, side by side for the numbers of threads that were tried on this picture;
// threads, SIMD level and memory of the engine.

import type { Report } from 'fuselane';
import type { Times } from '../worker/messages.js';
import { find, make } from './dom.js';

const stages: readonly (readonly [keyof Times, string])[] = [
  ['decode', 'Decode the picture'],
  ['prepare', 'Prepare for detection'],
  ['detect', 'Detection network'],
  ['boxes', 'Boxes from its map'],
  ['crop', 'Cut out the lines'],
  ['recognize', 'Recognition network'],
  ['text', 'Text from its scores'],
];

const kSimd: Record<Report['simd'], string> = {
  relaxed: 'relaxed',
  baseline: 'baseline, 128 bits',
  none: 'none',
};

export const total = (times: Times): number => Object.values(times).reduce((sum, ms) => sum + ms, 0);

export const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)}`;

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

export class FiguresView {
  readonly #times = new Map<number, Times>();

  constructor() {
    this.#draw();
    this.#facts(undefined);
  }

  /** For another picture. */
  clear(): void {
    this.#times.clear();
    this.#draw();
  }

  setReport(report: Report): void {
    this.#facts(report);
  }

  setTimes(times: Times, threads: number): void {
    this.#times.set(threads, times);
    this.#draw();
  }

  #draw(): void {
    const columns = [...this.#times].sort(([a], [b]) => a - b);
    const heads = columns.map(([threads]) => (threads === 1 ? '1 thread' : `${threads} threads`));
    const blank = columns.length === 0;
    const cells = (value: (times: Times) => number): string[] =>
      blank ? ['–'] : columns.map(([, times]) => milliseconds(value(times)));
    const longest = Math.max(...columns.flatMap(([, times]) => Object.values(times)));
    const row = ([stage, label]: readonly [keyof Times, string]): HTMLElement => {
      const tr = make('tr', {}, make('th', { scope: 'row' }, label));
      for (const [i, text] of cells((times) => times[stage] ?? 0).entries()) {
        const cell = make('td', {}, text);
        const part = (columns[i]?.[1][stage] ?? 0) / longest;
        cell.style.setProperty('--part', blank ? '0' : part.toFixed(3));
        tr.append(cell);
      }
      return tr;
    };
    const head = (text: string): HTMLElement => make('th', { scope: 'col' }, text);
    find('times-head').replaceChildren(
      make('tr', {}, head('Stage'), ...(blank ? ['ms'] : heads.map((text) => `${text}, ms`)).map(head)),
    );
    find('times-body').replaceChildren(...stages.map(row));
    find('times-foot').replaceChildren(
      make(
        'tr',
        {},
        make('th', { scope: 'row' }, 'Total'),
        ...cells(total).map((text) => make('td', {}, text)),
      ),
    );
  }

  #facts(report: Report | undefined): void {
    const rows = [
      ['Threads', report ? String(report.threads) : '–'],
      ['SIMD', report ? kSimd[report.simd] : '–'],
      ['Engine memory', report ? megabytes(report.heapBytes) : '–'],
    ] as const;
    find('facts').replaceChildren(
      ...rows.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
    );
  }
}
