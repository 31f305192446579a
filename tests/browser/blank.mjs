// @ts-check
// A page that does nothing by itself: tests work with the package in it.

import * as fuselane from '../../dist/index.js';

/** What a call comes to, when it must fail. @param {Promise<unknown>} call */
async function failure(call) {
  try {
    await call;
    return { code: 'none', message: 'it did not fail' };
  } catch (error) {
    if (!(error instanceof fuselane.FuselaneError)) return { code: 'not ours', message: String(error) };
    return { code: error.code, message: error.message, subject: error.subject };
  }
}

Object.assign(globalThis, { fuselane, failure });
