// @ts-check
// Fuselane as a page uses it: the package from dist/, the engine in its own worker.

/** @param {import('./page.mjs').Opening} opening @returns {Promise<import('./page.mjs').Run>} */
export async function open({ model: url, package: folder, options, feeds }) {
  const { load } = await import(`${folder}index.js`);
  const model = await load(url, options);
  return () => model.run(feeds);
}
