// Cuts a place of text out of a picture and turns it upright. Values between pixels are interpolated linearly; beyond the
// picture's border its last pixels go on.

import type { Picture } from './picture.js';
import { distance, type Point, type Quad } from './quad.js';

/** A place that reaches further on all sides, by a part of its height. */
export function withMargin([origin, right, opposite, down]: Quad, part: number): Quad {
  const height = distance(origin, down);
  const unit = (to: Point): Point => {
    const length = Math.max(distance(origin, to), 1e-6);
    return [(to[0] - origin[0]) / length, (to[1] - origin[1]) / length];
  };
  const [u, v] = [unit(right), unit(down)];
  const moved = ([x, y]: Point, across: number, along: number): Point => [
    x + part * height * (across * u[0] + along * v[0]),
    y + part * height * (across * u[1] + along * v[1]),
  ];
  return [moved(origin, -1, -1), moved(right, 1, -1), moved(opposite, 1, 1), moved(down, -1, 1)];
}

/** The sides of the result are those of the place, in pixels. */
export function crop(picture: Picture, [origin, right, , down]: Quad): Picture {
  const width = Math.max(1, Math.round(distance(origin, right)));
  const height = Math.max(1, Math.round(distance(origin, down)));
  const step = (from: Point, to: Point, count: number): Point => [
    (to[0] - from[0]) / count,
    (to[1] - from[1]) / count,
  ];
  const [across, along] = [step(origin, right, width), step(origin, down, height)];
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [u, v] = [x + 0.5, y + 0.5];
      // Pixel centers are at half coordinates.
      const fromX = origin[0] + u * across[0] + v * along[0] - 0.5;
      const fromY = origin[1] + u * across[1] + v * along[1] - 0.5;
      samplePixel(picture, fromX, fromY, rgba, 4 * (y * width + x));
    }
  }
  return { width, height, rgba };
}

function samplePixel(
  { width, height, rgba }: Picture,
  x: number,
  y: number,
  to: Uint8ClampedArray,
  at: number,
) {
  const [atX, atY] = [clamp(x, width - 1), clamp(y, height - 1)];
  const [x0, y0] = [Math.floor(atX), Math.floor(atY)];
  const [x1, y1] = [Math.min(x0 + 1, width - 1), Math.min(y0 + 1, height - 1)];
  const [right, down] = [atX - x0, atY - y0];
  for (let c = 0; c < 3; c++) {
    const value = (column: number, row: number): number => rgba[4 * (row * width + column) + c] ?? 0;
    const top = value(x0, y0) * (1 - right) + value(x1, y0) * right;
    const bottom = value(x0, y1) * (1 - right) + value(x1, y1) * right;
    to[at + c] = top * (1 - down) + bottom * down;
  }
  to[at + 3] = 255;
}

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
