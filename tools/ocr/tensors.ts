// Makes the input tensors of PaddleOCR's PP-OCRv4 networks from a picture: float32 [batch, 3, height, width], channels in
// the order blue, green, red, as the networks were trained (their pictures came through OpenCV).

import type { Picture } from './picture.js';
import { resample } from './resample.js';

export interface FloatTensor {
  readonly type: 'float32';
  readonly dims: readonly [number, number, number, number];
  readonly data: Float32Array;
}

interface Normalization {
  /** Of the values 0 to 1, by channel in the order blue, green, red. */
  readonly mean: readonly [number, number, number];
  readonly std: readonly [number, number, number];
}

const plain: Normalization = { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] };
/** ImageNet's statistics in the order in which PaddleOCR applies them: red's to blue. */
const imageNet: Normalization = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] };

const kLineHeight = 48;
const kDirectionWidth = 192;
/** Below this the recognition network sees fewer than its training crops' shortest words: 8 columns a step. */
const kMinLineWidth = 48;

/** How many columns a line takes: 48 rows, the width by the picture's aspect. */
export const lineWidth = ({ width, height }: Picture): number =>
  Math.max(kMinLineWidth, Math.ceil((kLineHeight * width) / height));

/**
 * Lines of text for the recognition network, one for each row of the batch. All take the columns of the widest unless
 * more are asked for; the shorter ones are filled up with mean gray on the right, as in training.
 */
export function recognitionTensor(
  lines: readonly Picture[],
  columns = Math.max(...lines.map(lineWidth)),
): FloatTensor {
  return tensor(
    lines.map((picture) => ({ picture, width: lineWidth(picture) })),
    kLineHeight,
    columns,
    plain,
  );
}

/** A line of text for the direction classifier: 48 x 192, filled up with mean gray on the right. */
export function directionTensor(picture: Picture): FloatTensor {
  const width = Math.ceil((kLineHeight * picture.width) / picture.height);
  return tensor([{ picture, width: Math.min(width, kDirectionWidth) }], kLineHeight, kDirectionWidth, plain);
}

/**
 * A page for the detection network: both sides multiples of 32, the longer one at most `limit`.
 */
export function detectionTensor(picture: Picture, limit = 960): FloatTensor {
  const scale = Math.min(1, limit / Math.max(picture.width, picture.height));
  const side = (extent: number): number => Math.max(32, 32 * Math.round((extent * scale) / 32));
  const width = side(picture.width);
  return tensor([{ picture, width }], side(picture.height), width, imageNet);
}

interface Placed {
  readonly picture: Picture;
  /** The columns it takes. */
  readonly width: number;
}

/** Each picture in the left of its row of the batch; the rest of its columns is 0, the mean. */
function tensor(
  pictures: readonly Placed[],
  height: number,
  columns: number,
  by: Normalization,
): FloatTensor {
  const size = 3 * height * columns;
  const data = new Float32Array(pictures.length * size);
  for (const [i, { picture, width }] of pictures.entries()) {
    const rgb = resample(picture, width, height);
    fill(data.subarray(i * size, (i + 1) * size), rgb, width, height, columns, by);
  }
  return { type: 'float32', dims: [pictures.length, 3, height, columns], data };
}

function fill(
  data: Float32Array,
  rgb: Float32Array,
  width: number,
  height: number,
  columns: number,
  by: Normalization,
): void {
  for (const c of [0, 1, 2] as const) {
    const plane = rgb.subarray((2 - c) * height * width, (3 - c) * height * width);
    const [scale, shift] = [1 / (255 * by.std[c]), by.mean[c] / by.std[c]];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        data[(c * height + y) * columns + x] = (plane[y * width + x] ?? 0) * scale - shift;
      }
    }
  }
}
