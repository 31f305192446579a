// Why a worker did not start: the browser does not say, so its script is asked for once more.

import { refusedAnswerOf } from './answers.js';
import { reasonOf } from './errors.js';
import { isIsolated } from './web_scope.js';

/** A sentence on the script of a worker when it will not do. */
export async function badScript(url: string): Promise<string | undefined> {
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    return `${url} could not be fetched (${reasonOf(error)})`;
  }
  const { headers, ok } = response;
  if (!ok || !/^(text|application)\/(x-)?(java|ecma)script\b/i.test(headers.get('content-type') ?? ''))
    return `${url} was answered with ${await refusedAnswerOf(response)}; a script was expected, served as text/javascript, from the folder of the package's other files`;
  if (isIsolated() && !headers.has('cross-origin-embedder-policy'))
    return `${url} comes without the header Cross-Origin-Embedder-Policy, which an isolated page asks of its workers: send the page's headers with every file`;
  return undefined;
}
