// What a server has answered, in words for error messages: status, type, how the body begins.

/** How long the body of a refused answer is waited for. */
const kHeadMilliseconds = 1000;
const kHeadBytes = 256;
/** Of the body, in a message. */
const kShownCharacters = 60;

/** Such as: status 404 Not Found, text/html, beginning "<h1>Not found</h1>" */
export function answerOf(response: Response, head: Uint8Array): string {
  const status = `status ${response.status} ${response.statusText}`.trim();
  const type = response.headers.get('content-type') ?? 'no content type';
  const from = response.redirected ? `, redirected to ${response.url}` : '';
  return `${status}, ${type}, ${beginning(head)}${from}`;
}

/** The same of an answer that is not wanted: its first bytes are read, if they come soon, and the rest is not. */
export async function refusedAnswerOf(response: Response): Promise<string> {
  return answerOf(response, await headOf(response));
}

async function headOf({ body, bodyUsed }: Response): Promise<Uint8Array> {
  if (!body || bodyUsed || body.locked) return new Uint8Array();
  const reader = body.getReader();
  let timer;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, kHeadMilliseconds)));
  try {
    const first = await Promise.race([reader.read(), late]);
    return first?.value?.subarray(0, kHeadBytes) ?? new Uint8Array();
  } catch {
    return new Uint8Array();
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => {});
  }
}

/** Text as text, anything else as its first bytes. */
function beginning(head: Uint8Array): string {
  if (!head.length) return 'an empty body';
  // A copy: a decoder takes no shared memory.
  const text = new TextDecoder().decode(head.slice(0, kHeadBytes));
  // eslint-disable-next-line no-control-regex
  if (/[\0-\x08\x0e-\x1f\ufffd]/.test(text.slice(0, kShownCharacters))) {
    const bytes = [...head.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0'));
    return `beginning with the bytes ${bytes.join(' ')}`;
  }
  const line = text.replace(/\s+/g, ' ').trim();
  return `beginning "${line.length > kShownCharacters ? `${line.slice(0, kShownCharacters)}…` : line}"`;
}
