// Connected regions of a map above a threshold. In: row-major values. Out: each region's outline as the ends of its
// rows, enough for its convex hull; pixels touch by sides and corners. Pixel (x, y) covers x to x + 1, y to y + 1.

import type { Point } from './quad.js';

export interface Plane {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** A stretch of pixels above the threshold in one row, up to but without `end`. */
interface Run {
  readonly y: number;
  readonly start: number;
  readonly end: number;
  readonly id: number;
}

export function regionsAbove(plane: Plane, threshold: number): Point[][] {
  const runs: Run[] = [];
  const parent: number[] = [];
  const root = (id: number): number => {
    let at = id;
    for (let up = parent[at]; up !== undefined && up !== at; up = parent[at]) at = up;
    parent[id] = at;
    return at;
  };
  let above: Run[] = [];
  for (let y = 0; y < plane.height; y++) {
    const row = runsOfRow(plane, y, threshold, runs.length);
    let next = 0;
    for (const run of row) {
      parent.push(run.id);
      while ((above[next]?.end ?? Infinity) < run.start) next++;
      for (let i = next; (above[i]?.start ?? Infinity) <= run.end; i++) {
        const other = above[i];
        if (other) parent[root(run.id)] = root(other.id);
      }
    }
    runs.push(...row);
    above = row;
  }
  return outlines(runs, root);
}

function runsOfRow({ data, width }: Plane, y: number, threshold: number, firstId: number): Run[] {
  const runs: Run[] = [];
  const row = data.subarray(y * width, (y + 1) * width);
  for (let x = 0; x < width; x++) {
    if (!((row[x] ?? 0) > threshold)) continue;
    const start = x;
    while (x < width && (row[x] ?? 0) > threshold) x++;
    runs.push({ y, start, end: x, id: firstId + runs.length });
  }
  return runs;
}

/** In the order in which the regions begin, from the top. */
function outlines(runs: readonly Run[], root: (id: number) => number): Point[][] {
  const regions = new Map<number, Point[]>();
  for (const { y, start, end, id } of runs) {
    const key = root(id);
    const points = regions.get(key) ?? [];
    regions.set(key, points);
    points.push([start, y], [end, y], [start, y + 1], [end, y + 1]);
  }
  return [...regions.values()];
}
