// Places of text: four corners, clockwise from the corner where its first letter begins. y grows downwards.

export type Point = readonly [x: number, y: number];
export type Quad = readonly [Point, Point, Point, Point];

/** A rectangle of any angle. */
export interface Rectangle {
  readonly center: Point;
  /** A unit vector along the width, within 45 degrees of the x axis. */
  readonly axis: Point;
  readonly width: number;
  readonly height: number;
}

export const distance = (a: Point, b: Point): number => Math.hypot(b[0] - a[0], b[1] - a[1]);

/** The corners of the convex hull, counterclockwise where y grows upwards (Andrew's monotone chain, 1979). */
export function convexHull(points: readonly Point[]): Point[] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (order: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of order) {
      while (chain.length >= 2 && !turnsLeft(chain.at(-2), chain.at(-1), point)) chain.pop();
      chain.push(point);
    }
    chain.pop(); // it begins the other half
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function turnsLeft(a: Point | undefined, b: Point | undefined, c: Point): boolean {
  if (!a || !b) return false;
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0;
}

/** The smallest rectangle around a convex polygon: one of its sides lies along one of the polygon's. */
export function smallestRectangle(hull: readonly Point[]): Rectangle {
  let best: Rectangle | undefined;
  for (const [i, a] of hull.entries()) {
    const b = hull[(i + 1) % hull.length] ?? a;
    const length = distance(a, b);
    if (length === 0) continue;
    const rectangle = rectangleAlong(hull, [(b[0] - a[0]) / length, (b[1] - a[1]) / length]);
    if (!best || rectangle.width * rectangle.height < best.width * best.height) best = rectangle;
  }
  return best ?? rectangleAlong(hull, [1, 0]);
}

function rectangleAlong(points: readonly Point[], direction: Point): Rectangle {
  const axis = nearX(direction);
  const [c, s] = axis;
  let [minU, maxU, minV, maxV] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [x, y] of points) {
    const [u, v] = [c * x + s * y, c * y - s * x];
    [minU, maxU] = [Math.min(minU, u), Math.max(maxU, u)];
    [minV, maxV] = [Math.min(minV, v), Math.max(maxV, v)];
  }
  const [u, v] = [(minU + maxU) / 2, (minV + maxV) / 2];
  return { center: [c * u - s * v, s * u + c * v], axis, width: maxU - minU, height: maxV - minV };
}

/** Of the four directions at right angles, the one within 45 degrees of the x axis. */
function nearX([x, y]: Point): Point {
  const [u, v] = Math.abs(x) >= Math.abs(y) ? [x, y] : [y, -x];
  return u < 0 ? [-u, -v] : [u, v];
}

/**
 * The corners as text begins in them: a rectangle much higher than wide holds a line that runs upwards or downwards,
 * and is taken for one that was turned to the left (PaddleOCR turns at the same 1.5).
 */
export function cornersOf({ center: [x, y], axis: [c, s], width, height }: Rectangle): Quad {
  const at = (u: number, v: number): Point => [
    x + (c * u * width - s * v * height) / 2,
    y + (s * u * width + c * v * height) / 2,
  ];
  const [topLeft, topRight, bottomRight, bottomLeft] = [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)];
  return height > 1.5 * width
    ? [bottomLeft, topLeft, topRight, bottomRight]
    : [topLeft, topRight, bottomRight, bottomLeft];
}

/** The angle at which the text of a place runs, in radians, clockwise from the x axis. */
export const angleOf = ([first, second]: Quad): number =>
  Math.atan2(second[1] - first[1], second[0] - first[0]);

export function centerOf(quad: Quad): Point {
  const mean = (axis: 0 | 1): number => quad.reduce((sum, point) => sum + point[axis], 0) / 4;
  return [mean(0), mean(1)];
}
