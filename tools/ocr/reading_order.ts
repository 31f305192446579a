// Orders places of text as they are read: rows from the top, in a row from the left. The page may be turned by as much
// as its text is. Places in a row that overlap are parts of one line, which the detection network has torn, and become
// one. Columns of a newspaper are not told apart.

import {
  angleOf, centerOf, convexHull, cornersOf, distance, smallestRectangle, type Point, type Quad,
} from './quad.js'; // prettier-ignore

interface Placed {
  readonly quad: Quad;
  /** Its center and extent along the page's text. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function inRows(quads: readonly Quad[]): Quad[][] {
  const turn = middle(quads.map(angleOf));
  const placed = quads.map((quad) => place(quad, turn));
  const rows: Placed[][] = [];
  for (const next of placed.sort((a, b) => a.y - b.y || a.x - b.x)) {
    const row = rows.at(-1);
    if (row && sharesRow(row, next)) row.push(next);
    else rows.push([next]);
  }
  return rows.map((row) => joined(row.sort((a, b) => a.x - b.x)));
}

function place(quad: Quad, turn: number): Placed {
  const [c, s] = [Math.cos(turn), Math.sin(turn)];
  const along = ([x, y]: Point): number => c * x + s * y;
  const [x, y] = centerOf(quad);
  const [first, second, third] = quad;
  const xs = quad.map(along);
  return {
    quad,
    x: along([x, y]),
    y: c * y - s * x,
    width: Math.max(...xs) - Math.min(...xs),
    // A text that runs upwards stands in the row of its middle.
    height: Math.min(distance(first, second), distance(second, third)),
  };
}

/** A row from left to right, with what overlaps in one. */
function joined(row: readonly Placed[]): Quad[] {
  const result: Quad[] = [];
  let end = -Infinity;
  for (const { quad, x, width } of row) {
    const before = x - width / 2 < end ? result.pop() : undefined;
    result.push(before ? cornersOf(smallestRectangle(convexHull([...before, ...quad]))) : quad);
    end = Math.max(end, x + width / 2);
  }
  return result;
}

/** Whether its center is less than half a line from the row's. */
function sharesRow(row: readonly Placed[], { y, height }: Placed): boolean {
  const mean = row.reduce((sum, other) => sum + other.y, 0) / row.length;
  return Math.abs(y - mean) < Math.min(height, ...row.map((other) => other.height)) / 2;
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
