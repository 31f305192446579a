// Why a worker did not start: the browser does not say, so its script and all that it imports are asked for once more.

import { refusedAnswerOf } from './answers.js';
import { reasonOf } from './errors.js';
import { isIsolated } from './web_scope.js';

/** The relative imports of a module, as compilers and minifiers write them. */
const kImports = /\b(?:from|import)\s*["'](\.{1,2}\/[^"']+)["']/g;

/** A sentence on the first script that will not do; nothing when all are good. */
export async function badScript(url: string, seen = new Set<string>()): Promise<string | undefined> {
  const isWorker = !seen.size;
  seen.add(url);
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    return `${url} could not be fetched (${reasonOf(error)})`;
  }
  const { headers, ok } = response;
  if (!ok || !/^(text|application)\/(x-)?(java|ecma)script\b/i.test(headers.get('content-type') ?? ''))
    return `${url} was answered with ${await refusedAnswerOf(response)}; a script was expected, served as text/javascript, from the folder of the package's other files`;
  if (isWorker && isIsolated() && !headers.has('cross-origin-embedder-policy'))
    return `${url} comes without the header Cross-Origin-Embedder-Policy, which an isolated page asks of its workers: send the page's headers with every file`;
  const text = await response.text().catch(() => '');
  for (const [, path = ''] of text.matchAll(kImports)) {
    const imported = new URL(path, url).href;
    const bad = seen.has(imported) ? undefined : await badScript(imported, seen);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
