// How much of the time each step takes, and how near it comes to what the machine can do.

import type { ReportDetail, SimdLevel, Step } from 'fuselane';
import type { Roofline } from '../roofline/rate.js';

export interface Peaks {
  /** Floating-point operations a second, of the multiply-adds that generated code may use. */
  readonly operations: number;
  /** Bytes a second, read from beyond the caches: what lies in one is read faster. */
  readonly bytes: number;
}

export interface Row {
  /** From 1 on, in the order they run. */
  readonly number: number;
  readonly step: Step;
  readonly milliseconds: number;
  /** Of the time in all steps; 0 to 1, as the following. */
  readonly share: number;
  /** Of the peak; left out for steps without multiply-adds. */
  readonly ofPeak?: number;
  /** Bytes read and written, of the measured bandwidth. Above 1 where they come from caches. */
  readonly ofBandwidth: number;
}

export const peaksOf = (roofline: Roofline, simd: SimdLevel): Peaks => ({
  operations: simd === 'relaxed' ? roofline.fma : roofline.mulAdd,
  bytes: roofline.read,
});

interface Work {
  readonly milliseconds: number;
  readonly multiplyAdds: number;
  readonly bytes: number;
}

/** A multiply-add is two operations. */
const ofPeak = ({ multiplyAdds, milliseconds }: Work, peaks: Peaks): number =>
  (2 * multiplyAdds) / (milliseconds / 1000) / peaks.operations;
const ofBandwidth = ({ bytes, milliseconds }: Work, peaks: Peaks): number =>
  bytes / (milliseconds / 1000) / peaks.bytes;

const workOf = ({ milliseconds = NaN, multiplyAdds, bytesRead, bytesWritten }: Step): Work => ({
  milliseconds,
  multiplyAdds,
  bytes: bytesRead + bytesWritten,
});

const together = (works: readonly Work[]): Work =>
  works.reduce(
    (a, b) => ({
      milliseconds: a.milliseconds + b.milliseconds,
      multiplyAdds: a.multiplyAdds + b.multiplyAdds,
      bytes: a.bytes + b.bytes,
    }),
    { milliseconds: 0, multiplyAdds: 0, bytes: 0 },
  );

export function rowsOf({ steps }: ReportDetail, peaks: Peaks): Row[] {
  const all = together(steps.map(workOf)).milliseconds;
  return steps.map((step, i) => {
    const work = workOf(step);
    return {
      number: i + 1,
      step,
      milliseconds: work.milliseconds,
      share: work.milliseconds / all,
      ...(step.multiplyAdds > 0 && { ofPeak: ofPeak(work, peaks) }),
      ofBandwidth: ofBandwidth(work, peaks),
    };
  });
}

export interface Totals {
  /** In all steps. */
  readonly milliseconds: number;
  readonly multiplyAdds: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** Of the steps with multiply-adds, whose share of the time is the other; 0 where there are none. */
  readonly ofPeak: number;
  readonly arithmeticShare: number;
}

export function totalsOf({ steps }: ReportDetail, peaks: Peaks): Totals {
  const all = together(steps.map(workOf));
  const arithmetic = together(steps.filter(({ multiplyAdds }) => multiplyAdds > 0).map(workOf));
  return {
    milliseconds: all.milliseconds,
    multiplyAdds: all.multiplyAdds,
    bytesRead: steps.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
    bytesWritten: steps.reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    ofPeak: arithmetic.multiplyAdds > 0 ? ofPeak(arithmetic, peaks) : 0,
    arithmeticShare: arithmetic.multiplyAdds > 0 ? arithmetic.milliseconds / all.milliseconds : 0,
  };
}

/** The slowest, in the order they run. */
export const slowest = (rows: readonly Row[], count: number): Row[] =>
  [...rows]
    .sort((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, count)
    .sort((a, b) => a.number - b.number);
