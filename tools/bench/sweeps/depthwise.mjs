// @ts-check
// Depthwise convolutions of the zoo's models, by columns of the register tile and by which loop is around the other.

/** @typedef {import('../schedules.mjs').Layer} Layer */
/** @typedef {import('../schedules.mjs').Candidate} Candidate */

/**
 * A layer over an image of `size` by `size`, padded so that strides divide it as frameworks do.
 * @param {number} size @param {number} channels @param {number} kernel @param {number} stride @param {number} [dilation]
 * @returns {Layer}
 */
function layer(size, channels, kernel, stride, dilation = 1) {
  const pad = ((kernel - 1) * dilation) / 2;
  const out = Math.floor((size + 2 * pad - (kernel - 1) * dilation - 1) / stride) + 1;
  const right = Math.max((out - 1) * stride + (kernel - 1) * dilation + 1 - pad - size, 0);
  const columns = (/** @type {number} */ beyond) => Math.ceil(beyond / stride);
  const sizes = Object.entries({
    ...{ batches: 1, rows: out, inner_columns: out - columns(pad) - columns(right) },
    ...{ whole_blocks: Math.floor(channels / 4), kernel_height: kernel, stride_height: stride },
    ...{ dilation_height: dilation, pad_top: pad, height: size },
    ...{ x_column: channels, x_row: channels * size, y_column: channels, y_row: channels * out },
  });
  // Of a row of windows those columns of the filter that lie inside, and likewise of a column of them.
  let inside = 0;
  for (let o = 0; o < out; o++) {
    for (let k = 0; k < kernel; k++) {
      const at = o * stride + k * dilation - pad;
      if (at >= 0 && at < size) inside++;
    }
  }
  return {
    name: `${size}x${size}x${channels} ${kernel}x${kernel} stride ${stride}${dilation > 1 ? ` dilation ${dilation}` : ''}`,
    task: `depthwise tail ${channels % 4} width ${kernel} stride ${stride} dilation ${dilation} borders ${pad} ${right}`,
    sizes: sizes.map(([name, value]) => ({ name, value })),
    multiplyAdds: inside * inside * channels,
  };
}

/** @type {readonly Layer[]} */
export const layers = [
  layer(112, 32, 3, 1),
  layer(112, 96, 3, 2),
  layer(56, 144, 3, 1),
  layer(28, 192, 3, 1),
  layer(14, 384, 3, 1),
  layer(14, 576, 3, 2),
  layer(7, 960, 3, 1),
  layer(28, 58, 3, 1),
  layer(56, 144, 5, 2),
  layer(28, 240, 5, 1),
  layer(14, 480, 5, 1),
  layer(14, 672, 5, 2),
  layer(7, 1152, 5, 1),
  layer(56, 96, 7, 1),
  layer(14, 384, 7, 1),
  layer(7, 768, 7, 1),
  layer(28, 256, 3, 1, 2),
];

const [kFewest, kMost] = [1, 8];

/** @param {Layer} layer @returns {Candidate[]} */
export function candidates({ task }) {
  const [, left, right] = /** @type {RegExpExecArray} */ (/borders (\d+) (\d+)/.exec(task));
  const list = [];
  for (let columns = kFewest; columns <= kMost; columns++) {
    for (const channelsInside of [true, false]) {
      const loops = channelsInside ? 'c0, j0' : 'j0, c0';
      list.push({
        name: `${columns} columns, ${channelsInside ? 'channels inside' : 'columns inside'}`,
        text: [
          'algorithm depthwise',
          'split j 4 rest as j0, j1',
          'vector j1',
          `split c ${columns} even as c0, c1`,
          'unroll c1, q',
          `order ${loops}, p, q, c1, j1`,
          `call ${channelsInside ? 'c0' : 'j0'}`,
          ...(left === '0' ? [] : border('l')),
          ...(right === '0' ? [] : border('r')),
          'parallel b, r',
        ].join('\n'),
      });
    }
  }
  return list;
}

/** @param {string} side */
const border = (side) => [
  `split j${side} 4 rest as j${side}0, j${side}1`,
  `vector j${side}1`,
  `unroll c${side}, q${side}`,
  `order j${side}0, p${side}, c${side}, q${side}, j${side}1`,
  `call j${side}0`,
];
