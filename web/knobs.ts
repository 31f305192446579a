// What the compiler does, to be switched off where its worth is to be seen: the table of knobs. The core has the
// defaults (src/engine/knobs.def).

interface Kinds {
  string: string;
  boolean: boolean;
  number: number;
}

/** The kind of each knob's value. */
export const knobs = {
  /**
   * The graph passes that run: "all" (when left out), "none", or a list read from left to right such as
   * "all,-fuse_activation". An unknown name is an `invalid-argument` that lists them.
   */
  passes: 'string',
  /** False runs every operator as its scalar reference: slow, and what all else is compared with. */
  kernels: 'boolean',
  /**
   * False makes no kernels for the model: products, convolutions, functions of elements and reductions run as their scalar references,
   * all else by the kernels that are compiled with the core.
   */
  generated: 'boolean',
  /**
   * Vertical fusion. False makes each operator a step of its own; operators that a pass has put into another one, such as
   * activations, stay there.
   */
  vertical: 'boolean',
  /**
   * Horizontal fusion. False makes each value in memory of its own: what Concat joins is copied together, what Split, Slice,
   * Gather and Transpose take is copied out, unless it lies dense already. And threads wait for each other after every
   * step, also where the next one does not need it.
   */
  horizontal: 'boolean',
  /**
   * False generates products and convolutions that go row by row over all columns: no blocks, and tiles of one row. Panels
   * of columns stay, as weights are packed in them; so do the tiles of kernels that are compiled with the core.
   */
  tiling: 'boolean',
  /**
   * False lays every result row-major. Kernels that only know channels last, as those of convolutions and pooling, still
   * work so: their operands and results are converted before and after. Nothing else follows them.
   */
  layout: 'boolean',
  /**
   * Winograd's filtering of 3x3 convolutions. False makes all convolutions direct ones, whose sums are those of the
   * specification: smaller differences in the last bits, infinities where they belong, and less memory for weights.
   */
  winograd: 'boolean',
  /**
   * How many times the bytes of the model's constants its packed weights may take; 2 when left out. Winograd's filtering takes
   * 16/9 of a layer's weights for tiles of 2 x 2 results and 4 times as much for the faster ones of 4 x 4: where there is not
   * enough for all layers, those with the largest results come first. 4 is enough for all; 1 makes all convolutions direct.
   */
  memory: 'number',
} as const;

/** What the compiler does, to be switched off where its worth is to be seen. The answers stay the same but for rounding. */
export type Knobs = { readonly [Name in keyof typeof knobs]?: Kinds[(typeof knobs)[Name]] };
