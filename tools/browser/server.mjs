// @ts-check
// A plain static server over some folders of the repository, with the headers that a test asks for.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, normalize } from 'node:path';

const repository = new URL('../../', import.meta.url);
/** @type {Record<string, string>} */
const types = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** No inline script and no `eval`: what a careful site allows. */
const policy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; img-src 'self' blob:";

/** What makes a page cross-origin isolated. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

/** @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => void} Answer */

/**
 * @typedef {object} Options
 * @property {string[]} folders what may be read, each with a slash at its end; addresses are paths in the repository
 * @property {URL} [root] of other folders than the repository's
 * @property {boolean} isolated with COOP and COEP, so that pages have shared memory
 * @property {Record<string, string>} [types] other content types by ending
 * @property {Record<string, string>} [headers] further headers of every answer, or others in place of the usual ones
 * @property {Record<string, Answer>} [answers] what is answered to some paths instead of a file, such as "/model.onnx"
 */

/** @param {Options} options */
export async function serve(options) {
  const { folders, isolated, types: others = {}, headers = {}, answers = {}, root = repository } = options;
  const all = { 'Content-Security-Policy': policy, ...(isolated && isolation), ...headers };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://server');
    for (const [name, value] of Object.entries(all)) response.setHeader(name, value);
    if (answers[pathname]) return answers[pathname](request, response);
    const path = normalize(decodeURIComponent(pathname)).slice(1);
    try {
      if (!folders.some((folder) => path.startsWith(folder))) throw new Error('not served');
      const bytes = await readFile(new URL(path.endsWith('/') ? `${path}index.html` : path, root));
      const ending = path.endsWith('/') ? '.html' : extname(path);
      const type = others[ending] ?? types[ending] ?? 'application/octet-stream';
      response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
    } catch {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}
