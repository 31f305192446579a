// Finds the places of text in the output of the detection network, as Differentiable Binarization does (Liao et al.,
// AAAI 2020, section 3.5, with PaddleOCR's numbers for PP-OCRv4). In: float32 [1, 1, height, width], for each pixel how
// likely it lies in the shrunken inside of a text. Out: rectangles over the text, in pixels of the map.

import { cornersOf, convexHull, smallestRectangle, type Quad, type Rectangle } from './quad.js';
import { regionsAbove, type Plane } from './regions.js';

const kPixelThreshold = 0.3;
const kBoxThreshold = 0.6;
/** The network was trained on texts shrunken by area * (1 - 0.4^2) / perimeter; this much of it grows them again. */
const kUnclipRatio = 1.5;
const kMinSide = 3;
/** More places than any page has. */
const kMaxBoxes = 1000;

export function boxesIn(map: Plane): Quad[] {
  const boxes: Quad[] = [];
  for (const outline of regionsAbove(map, kPixelThreshold).slice(0, kMaxBoxes)) {
    const inside = smallestRectangle(convexHull(outline));
    if (Math.min(inside.width, inside.height) < kMinSide || meanWithin(map, inside) < kBoxThreshold) continue;
    boxes.push(cornersOf(grown(inside)));
  }
  return boxes;
}

/** By the distance by which the network's texts were shrunken. */
function grown(rectangle: Rectangle): Rectangle {
  const { width, height } = rectangle;
  const by = (width * height * kUnclipRatio) / (2 * (width + height));
  return { ...rectangle, width: width + 2 * by, height: height + 2 * by };
}

/** The mean of the map over the pixels whose centers lie in a rectangle. */
function meanWithin({ data, width, height }: Plane, rectangle: Rectangle): number {
  const { center, axis } = rectangle;
  const [c, s] = axis;
  const reachX = (Math.abs(c) * rectangle.width + Math.abs(s) * rectangle.height) / 2;
  const reachY = (Math.abs(s) * rectangle.width + Math.abs(c) * rectangle.height) / 2;
  let [sum, count] = [0, 0];
  for (let y = Math.max(0, Math.floor(center[1] - reachY)); y < Math.min(height, center[1] + reachY); y++) {
    for (let x = Math.max(0, Math.floor(center[0] - reachX)); x < Math.min(width, center[0] + reachX); x++) {
      const [dx, dy] = [x + 0.5 - center[0], y + 0.5 - center[1]];
      if (Math.abs(c * dx + s * dy) > rectangle.width / 2 || Math.abs(c * dy - s * dx) > rectangle.height / 2)
        continue;
      sum += data[y * width + x] ?? 0;
      count++;
    }
  }
  return count === 0 ? 0 : sum / count;
}
