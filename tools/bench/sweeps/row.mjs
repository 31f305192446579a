// @ts-check
// Products of one row, which read each weight once: by panels that are read at the same time, by steps of k that are
// written out, and by their partial sums.

/** @typedef {import('../schedules.mjs').Layer} Layer */
/** @typedef {import('../schedules.mjs').Candidate} Candidate */

/** @param {number} depth @param {number} columns @returns {Layer} */
function layer(depth, columns) {
  const panels = columns / 8;
  const sizes = Object.entries({
    ...{ batches: 1, rows: 1, depth, whole_panels: panels, group_panels: panels },
    ...{ a_batch: depth, a_row: depth, w_batch: (depth + 1) * columns, c_batch: columns, c_row: columns },
  });
  return {
    name: `${depth} to ${columns}`,
    task: 'matmul tail 0 one_row',
    sizes: sizes.map(([name, value]) => ({ name, value })),
    multiplyAdds: depth * columns,
  };
}

/** The layers of decoder_dyn, and the last ones of image classifiers. @type {readonly Layer[]} */
export const layers = [
  layer(64, 64),
  layer(256, 256),
  layer(256, 768),
  layer(1024, 256),
  layer(256, 8000),
  layer(576, 1024),
  layer(1280, 1000),
  layer(2048, 1000),
];

/** @returns {Candidate[]} */
export function candidates() {
  const list = [];
  for (const panels of [1, 2, 4, 5, 6, 8]) {
    for (const steps of [1, 2, 4]) {
      for (const partial of [false, true]) {
        if (partial && (steps === 1 || panels * steps > 8)) continue;
        list.push({
          name: `${panels} panels, ${steps} steps${partial ? ', partial sums' : ''}`,
          text: [
            'algorithm matmul',
            'split j 8 exact as jp, j1',
            'split jp group_panels rest as jg, jo',
            `split jo ${panels} even as j0, jn`,
            'split j1 4 exact as j2, j3',
            `split k ${steps} rest as k0, k1`,
            'unroll jn, j2',
            'vector j3',
            partial ? 'partial k1' : 'unroll k1',
            `order b, jg, j0, k0, k1, jn, j2, j3`,
            'parallel b, jg',
            'call j0',
          ].join('\n'),
        });
      }
    }
  }
  return list;
}
