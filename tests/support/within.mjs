// @ts-check
// A bound on what waits: calls to a page that is gone, or to a worker of it, may never be answered.

/**
 * The result of some work; an Error that names it where it takes longer.
 * @template Result
 * @param {number} limit in milliseconds
 * @param {string} what
 * @param {Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function within(limit, what, work) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} takes more than ${limit / 1000} s`)), limit);
  });
  try {
    return await Promise.race([work, /** @type {Promise<never>} */ (late)]);
  } finally {
    clearTimeout(timer);
  }
}
