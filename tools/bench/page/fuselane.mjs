// @ts-check
// Fuselane as a page uses it: the package from dist/, the engine in its own worker.

/** @param {import('./page.mjs').Opening} opening @returns {Promise<import('./page.mjs').Run>} */
export async function open({ model: url, package: folder, threads, options, feeds }) {
  const { load } = await import(`${folder}index.js`);
  const { engineOptions } = await import(`${folder}options.js`);
  const hasThreads = 'threads' in engineOptions;
  if (!hasThreads && threads > 1) throw new Error(`this build runs on one thread, not on ${threads}`);
  const model = await load(url, { ...(hasThreads && { threads }), ...options });
  return () => model.run(feeds);
}
