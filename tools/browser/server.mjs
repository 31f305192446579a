// @ts-check
// A plain static server over some folders of the repository, with the headers that a test asks for.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, normalize } from 'node:path';

const root = new URL('../../', import.meta.url);
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

/**
 * @param {{ folders: string[], isolated: boolean, types?: Record<string, string> }} options folders: what may be read,
 *   each with a slash at its end; addresses are paths in the repository; isolated: with COOP and COEP, so that pages
 *   have shared memory; types: other content types by ending
 */
export async function serve({ folders, isolated, types: others = {} }) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://server').pathname)).slice(
      1,
    );
    response.setHeader('Content-Security-Policy', policy);
    if (isolated) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
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
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
