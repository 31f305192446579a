// Where pictures come from: a file dialog, a drop anywhere on the page, the clipboard, the samples.

import type { Problem } from '../worker/messages.js';
import { find, make } from './dom.js';
import { samples } from './samples.js';

export interface Taker {
  /** A picture is on its way; onPicture or onProblem follows, unless another picture comes before it. */
  readonly onWait: () => void;
  readonly onPicture: (blob: Blob, name: string) => void;
  readonly onProblem: (problem: Problem) => void;
}

export function offerSources(given: Taker): void {
  const taker: Taker = {
    ...given,
    onPicture: (blob, name) => {
      download.abort();
      given.onPicture(blob, name);
    },
  };
  offerFiles(taker);
  offerDrops(taker);
  offerClipboard(taker);
  for (const sample of samples) find('samples').append(sampleButton(sample, taker));
}

function offerFiles({ onPicture }: Taker): void {
  const input = find<HTMLInputElement>('file');
  find('choose').addEventListener('click', () => input.click());
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) onPicture(file, file.name);
    input.value = ''; // the same file may be chosen again
  });
}

function offerDrops(taker: Taker): void {
  const stage = find('stage');
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    stage.classList.add('target');
  });
  document.addEventListener('dragleave', (event) => {
    if (!event.relatedTarget) stage.classList.remove('target');
  });
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    stage.classList.remove('target');
    takeFrom(event.dataTransfer, 'What was dropped', taker);
  });
}

function offerClipboard(taker: Taker): void {
  document.addEventListener('paste', (event) => {
    const isTyping = event.target instanceof HTMLInputElement && event.target.type === 'text';
    if (isTyping && !event.clipboardData?.files.length) return;
    event.preventDefault();
    takeFrom(event.clipboardData, 'The clipboard', taker);
  });
  find('paste').addEventListener('click', () => void paste(taker));
}

function takeFrom(data: DataTransfer | null, what: string, { onPicture, onProblem }: Taker): void {
  const [file] = data?.files ?? [];
  if (file) onPicture(file, file.name || 'the picture');
  else onProblem({ code: 'no-picture', message: `${what} holds no picture.` });
}

async function paste({ onPicture, onProblem }: Taker): Promise<void> {
  let items;
  try {
    items = await navigator.clipboard.read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    onProblem({ code: 'no-clipboard', message: `The browser says: ${reason}` });
    return;
  }
  for (const item of items) {
    const type = item.types.find((each) => each.startsWith('image/'));
    if (!type) continue;
    onPicture(await item.getType(type), 'the pasted picture');
    return;
  }
  onProblem({ code: 'no-picture', message: 'The clipboard holds no picture.' });
}

function sampleButton({ name, url, small }: (typeof samples)[number], taker: Taker): HTMLElement {
  const picture = make('img', { src: small, alt: '', width: '216', height: '162', loading: 'lazy' });
  const button = make('button', { type: 'button' }, picture, make('span', {}, name));
  button.addEventListener('click', () => void takeSample(url, name, taker));
  return make('li', {}, button);
}

/** The download of a sample that is under way: of two, only the later one counts. */
let download = new AbortController();

async function takeSample(url: string, name: string, { onWait, onPicture, onProblem }: Taker): Promise<void> {
  download.abort();
  download = new AbortController();
  const { signal } = download;
  onWait();
  try {
    const response = await fetch(url, { signal });
    if (!response.ok) throw new Error(`${url} was answered with status ${response.status}`);
    const blob = await response.blob();
    if (!signal.aborted) onPicture(blob, name);
  } catch (error) {
    if (signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    onProblem({ code: 'sample-missing', message });
  }
}
