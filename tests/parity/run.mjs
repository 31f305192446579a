// @ts-check
// Runs a case on an engine: all its steps, with the state of one step fed to the next, either as copies or as handles
// that stay inside the engine.

/** @typedef {import('./engines.mjs').Handle} Handle */
/** @typedef {import('./engines.mjs').LoadedModel} LoadedModel */
/** @typedef {import('./inputs.mjs').Tensor} Tensor */
/** @typedef {import('./models.mjs').Case} Case */

/** @param {Tensor | Handle} value @returns {value is Handle} */
const isHandle = (value) => typeof value.data === 'function';

/** @param {Tensor | Handle} value @returns {Promise<Tensor>} */
const copied = async (value) =>
  isHandle(value) ? { type: value.type, dims: value.dims, data: await value.data() } : value;

/**
 * @param {LoadedModel} model
 * @param {Case} testCase
 * @param {{ seed?: number, steps?: number, keep?: boolean }} [options] keep: carry the state through handles
 * @returns {Promise<Record<string, Tensor>[]>} every output of every step, as copies
 */
export async function runCase(model, { feeds, state, steps }, options = {}) {
  const { seed = 1, keep = false } = options;
  const results = [];
  /** @type {Record<string, Tensor | Handle>} */
  let carried = {};
  for (let step = 0; step < (options.steps ?? steps); step++) {
    const fed = { ...feeds(seed, step), ...carried };
    const outputs = await model.run(fed, keep ? { keep: Object.keys(state) } : {});
    results.push(await copiesOf(outputs));
    for (const handle of Object.values(carried)) if (isHandle(handle)) await handle.dispose();
    carried = Object.fromEntries(Object.entries(state).map(([output, input]) => [input, outputs[output]]));
  }
  for (const handle of Object.values(carried)) if (isHandle(handle)) await handle.dispose();
  return results;
}

/** @param {Record<string, Tensor | Handle>} outputs */
async function copiesOf(outputs) {
  /** @type {Record<string, Tensor>} */
  const copies = {};
  for (const [name, value] of Object.entries(outputs)) copies[name] = await copied(value);
  return copies;
}
