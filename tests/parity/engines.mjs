// @ts-check
// The engines that the parity tests compare, behind one interface, which is Fuselane's own API cut to what is needed.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * A tensor that stays inside an engine; it may be fed to any model of the same engine until it is disposed of.
 * @typedef {{ type: string, dims: readonly number[], data: () => Promise<Data>, dispose: () => unknown }} Handle
 *
 * @typedef {import('./inputs.mjs').Data} Data
 * @typedef {import('./inputs.mjs').Tensor} Tensor
 * @typedef {Record<string, Tensor | Handle>} Feeds
 * @typedef {{ outputs?: string[], keep?: string[] }} RunOptions  outputs that are kept come back as handles
 *
 * @typedef {object} LoadedModel
 * @property {readonly { name: string, type: string }[]} inputs
 * @property {readonly { name: string, type: string }[]} outputs
 * @property {(feeds: Feeds, options?: RunOptions) => Promise<Record<string, Tensor | Handle>>} run
 * @property {() => Promise<unknown>} dispose
 *
 * @typedef {object} Engine
 * @property {string} name
 * @property {boolean} handles whether outputs can be kept
 * @property {(source: string | Uint8Array, options?: { knobs?: { passes?: string } }) => Promise<LoadedModel>} load a
 *   path or a model's bytes; the options are Fuselane's
 * @property {() => Promise<unknown>} dispose
 */

/**
 * The peer: onnxruntime-web in its WebAssembly build on one thread. Not the oracle, which is the ONNX specification.
 * @returns {Promise<Engine>}
 */
export async function onnxruntimeWeb() {
  const ort = await import('onnxruntime-web');
  ort.env.wasm.numThreads = 1;
  return { name: 'onnxruntime-web', handles: false, load, dispose: async () => {} };

  /** @param {string | Uint8Array} source @returns {Promise<LoadedModel>} */
  async function load(source) {
    const bytes = typeof source === 'string' ? await readFile(source) : source;
    const session = await ort.InferenceSession.create(bytes, {
      executionProviders: ['wasm'],
      logSeverityLevel: 3,
    });
    const described = (
      /** @type {readonly import('onnxruntime-web').InferenceSession.ValueMetadata[]} */ values,
    ) => values.map((value) => ({ name: value.name, type: value.isTensor ? value.type : 'no tensor' }));
    return {
      inputs: described(session.inputMetadata),
      outputs: described(session.outputMetadata),
      dispose: () => session.release(),
      run: async (feeds, { outputs } = {}) => {
        const fed = Object.entries(feeds).map(([name, t]) => {
          const { type, data, dims } = /** @type {Tensor} */ (t);
          return [
            name,
            new ort.Tensor(/** @type {'float32'} */ (type), /** @type {Float32Array} */ (data), dims),
          ];
        });
        const results = await session.run(Object.fromEntries(fed), outputs ?? session.outputNames);
        const read = Object.entries(results).map(([name, { type, dims, data }]) => {
          return [name, { type, dims, data: /** @type {Data} */ (data) }];
        });
        return Object.fromEntries(read);
      },
    };
  }
}

/** Whether `npm run build` has left the package in dist/. */
export function fuselaneIsBuilt() {
  try {
    return existsSync(fileURLToPath(import.meta.resolve('fuselane')));
  } catch {
    return false;
  }
}

/**
 * Fuselane from the built package.
 * @param {Record<string, unknown>} [options] of createEngine
 * @returns {Promise<Engine>}
 */
export async function fuselane(options = {}) {
  // A variable keeps tsc from resolving the package before it is built.
  const name = 'fuselane';
  const { createEngine } = await import(name);
  const engine = await createEngine(options);
  return {
    name,
    handles: true,
    load: (source, options) => engine.load(source, options),
    dispose: () => engine.dispose(),
  };
}
