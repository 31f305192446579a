// @ts-check
// Fuselane as a page uses it: the package from dist/, the engine in its own worker.

const kWarmMilliseconds = 1500;

/** @typedef {import('./page.mjs').Opening} Opening */

/** @param {Opening} opening @returns {Promise<import('./page.mjs').Opened>} */
export async function open(opening) {
  const [model, feeds] = [await loadModel(opening), feedsOf(opening)];
  return { run: () => model.run(feeds), report: () => model.report() };
}

/** How long its steps take, once V8 has replaced its first code. @param {Opening} opening @param {number} runs */
export async function profile(opening, runs) {
  const [model, feeds] = [await loadModel(opening), feedsOf(opening)];
  const start = performance.now();
  while (performance.now() - start < kWarmMilliseconds) await model.run(feeds);
  const measured = await model.profile(feeds, { runs });
  await model.dispose();
  return measured;
}

/** @param {Opening} opening */
const feedsOf = ({ feeds }) => /** @type {import('fuselane').Feeds} */ (/** @type {unknown} */ (feeds));

/** @param {Opening} opening */
async function loadModel({ model: url, package: folder, threads, options }) {
  const { load } = await import(`${folder}index.js`);
  return /** @type {import('fuselane').Model} */ (await load(url, { threads, ...options }));
}
