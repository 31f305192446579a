// @ts-check
// A worker of any kind that loads and runs a model when it is asked to, and answers to the port it was given.

import { load } from '../../dist/index.js';

/** @param {MessageEvent<{ worker?: boolean }>} event */
async function answer({ data: { worker }, ports: [port] }) {
  try {
    const model = await load('/tiny.onnx', { worker });
    const { y } = await model.run({ x: { dims: [1, 2], data: [1, 2] } });
    const { build, threads, oneThreadBecause } = await model.report();
    await model.dispose();
    port.postMessage({ y: [.../** @type {Float32Array} */ (y.data)], build, threads, oneThreadBecause });
  } catch (error) {
    const { code, message } = /** @type {import('fuselane').FuselaneError} */ (error);
    port.postMessage({ code, message });
  }
}

globalThis.addEventListener('message', /** @type {any} */ (answer));
globalThis.addEventListener('connect', (event) => {
  /** @type {MessageEvent} */ (event).ports[0].onmessage = answer;
});
