// Models from servers: answers are judged before they are read, and every refusal names the URL, what came back and
// what to do.

import { answerOf, refusedAnswerOf } from './answers.js';
import { chunksOfStream, type OnProgress } from './chunks.js';
import { cancelled, FuselaneError, reasonOf } from './errors.js';

export interface Downloaded {
  readonly chunks: ArrayBuffer[];
  /** For the message when the bytes turn out to be no model. */
  readonly answer: string;
}

/** Downloads a URL. Errors: those of readResponse. */
export async function download(
  url: string,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Downloaded> {
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (signal.aborted) throw cancelled(signal.reason);
    const message = `${url} could not be fetched (${reasonOf(error)}): check the address, the network and, on another origin, its CORS headers`;
    throw new FuselaneError('read-failed', message, { subject: url }, error);
  }
  return readResponse(response, url, onProgress, signal);
}

/** Reads the body of a good answer. Errors: read-failed, invalid-model for an HTML page, cancelled. */
export async function readResponse(
  response: Response,
  name: string,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<Downloaded> {
  await refuseBad(response, name);
  if (!response.body) return { chunks: [], answer: answerOf(response, new Uint8Array()) };
  const chunks = await chunksOfStream(response.body, name, lengthOf(response), onProgress, signal);
  return {
    chunks,
    answer: answerOf(response, new Uint8Array(chunks[0] ?? new ArrayBuffer()).subarray(0, 256)),
  };
}

/** What will arrive. With a content encoding the header tells the length of the compressed bytes. */
function lengthOf({ headers }: Response): number | undefined {
  const length = headers.get('content-encoding') ? null : headers.get('content-length');
  return length !== null && /^\d+$/.test(length) ? Number(length) : undefined;
}

async function refuseBad(response: Response, name: string): Promise<void> {
  const place = { subject: name };
  if (response.type === 'opaque' || response.type === 'opaqueredirect') {
    const message = `${name} was answered with an opaque response, whose bytes nobody can read: fetch it without mode 'no-cors' and redirect 'manual', from a server that allows this origin by Access-Control-Allow-Origin`;
    throw new FuselaneError('read-failed', message, place);
  }
  if (response.bodyUsed) {
    const message = `${name} has been read already: give a response that was not used, or its clone()`;
    throw new FuselaneError('read-failed', message, place);
  }
  if (!response.ok) {
    const message = `${name} was answered with ${await refusedAnswerOf(response)}; a model was expected: check the URL`;
    throw new FuselaneError('read-failed', message, place);
  }
  if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
    const message = `${name} was answered with an HTML page (${await refusedAnswerOf(response)}); a model was expected: check the URL, and whether the server sends a page for what it does not have`;
    throw new FuselaneError('invalid-model', message, place);
  }
}
