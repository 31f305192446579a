// @ts-check
// What a worker does that holds an engine: it loads and runs a model when it is asked to, and answers to the port.

/** @param {typeof import('fuselane').load} load */
export function answerWith(load) {
  /** @param {MessageEvent<{ worker?: boolean }>} event */
  const answer = async ({ data: { worker }, ports: [port] }) => {
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
  };

  globalThis.addEventListener('message', /** @type {any} */ (answer));
  globalThis.addEventListener('connect', (event) => {
    /** @type {MessageEvent} */ (event).ports[0].onmessage = answer;
  });
}
