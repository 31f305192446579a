// @ts-check
// One engine with one model in a page of its own. The bench calls these functions from outside, one after the other:
// open, then repeat for the warm-up and for each round, at last outputs; or begin, then outputs; or profile, roofline,
// emission or sweep alone.

/** @typedef {import('../../../tests/parity/inputs.mjs').Tensor} Tensor */
/**
 * What an engine's module exports as `open`.
 * @typedef {object} Opening
 * @property {string} model its address
 * @property {string} package address of the engine's files
 * @property {number} threads
 * @property {Record<string, unknown>} options further options of the engine
 * @property {Record<string, Tensor>} feeds the same in every run
 *
 * @typedef {() => Promise<Record<string, Tensor>>} Run
 * @typedef {{ run: Run, report?: () => Promise<import('fuselane').Report> }} Opened
 */

/** @type {Run} */
let run;
/** @type {Record<string, Tensor>} */
let latest;

/** @param {string} module @param {Opening} opening */
async function open(module, opening) {
  if (!crossOriginIsolated) throw new Error('the page is not cross-origin isolated');
  ({ run } = await (await import(module)).open(opening));
}

/**
 * How long it takes to the first output: the engine's scripts and core are fetched, the model is, and it runs once.
 * @param {string} module @param {Opening} opening
 */
async function begin(module, opening) {
  const { open } = await import(module);
  const start = performance.now();
  /** @type {Opened} */
  const opened = await open(opening);
  latest = await opened.run();
  return { milliseconds: performance.now() - start, report: await opened.report?.() };
}

/**
 * Runs until at least some time and some runs have passed, and for at least one run.
 * @param {{ milliseconds: number, runs: number }} least
 */
async function repeat({ milliseconds, runs: leastRuns }) {
  const start = performance.now();
  for (let runs = 1; ; runs++) {
    latest = await run();
    const passed = performance.now() - start;
    if (passed >= milliseconds && runs >= leastRuns) return { runs, milliseconds: passed / runs };
  }
}

/** The results of the latest run. */
const outputs = () =>
  Object.fromEntries(
    Object.entries(latest).map(([name, { type, dims, data }]) => [name, { type, dims, data }]),
  );

/** Fuselane's steps. @param {Opening} opening @param {number} runs */
const profile = async (opening, runs) => (await import('./fuselane.mjs')).profile(opening, runs);

/** @param {number} threads */
const roofline = async (threads) => (await import('./roofline.mjs')).roofline(threads);

/** The compiler's times. @param {import('./emission.mjs').Asked} asked */
const emission = async (asked) => (await import('./emission.mjs')).emission(asked);

/** Times of schedules. @param {import('./sweep.mjs').Swept} swept */
const sweep = async (swept) => (await import('./sweep.mjs')).sweep(swept);

Object.assign(globalThis, { bench: { open, begin, repeat, outputs, profile, roofline, emission, sweep } });
