// The page: takes pictures from the sources, has the reader read them, and shows what comes back. The networks are loaded
// when the first picture is there.

import { isText, textOf, type Place } from '../../tools/ocr/page_reader.js';
import type { ReadText } from '../../tools/ocr/ctc.js';
import type { FromWorker, Problem } from '../worker/messages.js';
import { announce, find, make } from './dom.js';
import { Drawing } from './drawing.js';
import { adviceFor } from './failures.js';
import { FiguresView, milliseconds, total } from './figures_view.js';
import { whyOneThread } from './isolation.js';
import { LinesView } from './lines_view.js';
import { PictureView, type Choices } from './picture_view.js';
import { showOutcome, showProgress } from './progress.js';
import { Reader } from './reader.js';
import { offerSources } from './sources.js';

/** As many as an engine takes by itself. */
const kMostThreads = 8;

const button = (id: string): HTMLButtonElement => find<HTMLButtonElement>(id);
const mark = (kind: 'hovered' | 'selected', place: number | undefined): void => {
  picture.mark(kind, place);
  lines.mark(kind, place);
};
const choices: Choices = {
  onHover: (place) => mark('hovered', place),
  onSelect: (place) => mark('selected', place),
};
const picture = new PictureView(choices);
const lines = new LinesView(choices);
const figures = new FiguresView();
const drawing = new Drawing(take);

let reader: Reader | undefined;
let isStarted = false;
let threads: 'one' | 'all' = 'all';
let current: { blob: Blob; name: string } | undefined;
/** Of the reading under way; what belongs to another is not listened to. */
let reading = 0;
let places: readonly Place[] = [];
let texts: (ReadText | undefined)[] = [];

function take(blob: Blob, name: string): void {
  current = { blob, name };
  openDrawing(false);
  picture.show(blob, name);
  figures.clear();
  read();
}

/** A picture is on its way: what is read now is not wanted any more. */
function wait(): void {
  reading++;
  showProblem(undefined);
  button('copy').disabled = true;
  button('again').disabled = true;
  showProgress('Fetching the picture …', undefined, '');
}

/** Reads the picture, also again. */
function read(): void {
  if (!current) return;
  showProblem(undefined);
  reading++;
  places = [];
  texts = [];
  picture.clear();
  lines.clear();
  button('copy').disabled = true;
  button('again').disabled = true;
  if (isStarted) showProgress('Finding text …', undefined, 'Reading the picture');
  else showProgress('Starting the engine …', undefined, 'Loading the networks');
  reader ??= startReader();
  reader.read(reading, current.blob, current.name);
}

function startReader(): Reader {
  const started = new Reader(threads === 'one' ? 1 : undefined, (message) => {
    if (started === reader) listen(message);
  });
  return started;
}

function endReader(): void {
  reader?.end();
  reader = undefined;
  isStarted = false;
}

function listen(message: FromWorker): void {
  if ('loading' in message) {
    const { loaded, total: all } = message.loading;
    const [have, want] = [loaded, all ?? 0].map((bytes) => (bytes / 1e6).toFixed(1));
    const text = `Loading the networks: ${have}${all === undefined ? '' : ` of ${want}`} MB`;
    showProgress(text, all === undefined ? undefined : loaded / all, 'Loading the networks');
  } else if ('started' in message) {
    isStarted = true;
    figures.setReport(message.started);
    showProgress('Finding text …', undefined, 'Reading the picture');
  } else if ('decoded' in message) {
    if (message.decoded.id === reading) picture.setSize(message.decoded.width, message.decoded.height);
  } else if ('found' in message) {
    if (message.found.id === reading) showPlaces(message.found.places);
  } else if ('line' in message) {
    if (message.line.id === reading) showLine(message.line.place, message.line.read);
  } else if ('done' in message) {
    if (message.done.id === reading) finish(message.done);
  } else {
    const { id } = message.failed;
    if (id === undefined || id === reading) fail(message.failed);
  }
}

function showPlaces(found: readonly Place[]): void {
  places = found;
  picture.setPlaces(found);
  lines.setPlaces(found.length);
}

function showLine(place: number, line: ReadText): void {
  texts[place] = line;
  if (isText(line)) {
    picture.setRead(place);
    lines.setText(place, line);
  } else {
    picture.remove(place);
    lines.remove(place);
  }
  const done = texts.filter(Boolean).length;
  showProgress(`Reading: ${done} of ${places.length}`, done / places.length, 'Reading the picture');
}

function finish({ times, report }: Extract<FromWorker, { done: unknown }>['done']): void {
  figures.setReport(report);
  figures.setTimes(times, report.threads);
  const count = texts.filter((line) => line && isText(line)).length;
  const what = count === 0 ? 'No text was found' : count === 1 ? '1 line' : `${count} lines`;
  showOutcome(`${what} in ${milliseconds(total(times))} ms`);
  button('copy').disabled = count === 0;
  button('again').disabled = false;
}

function fail(problem: Problem & { readonly id?: number }): void {
  // What could not be read says nothing against the engine, unless it is the engine that says so.
  const isPicture = problem.code === 'unreadable-picture';
  if (!isPicture) endReader();
  else picture.hide();
  if (isPicture) current = undefined;
  lines.clear();
  picture.clear();
  showOutcome('');
  button('again').disabled = true;
  showProblem(problem);
}

/** No picture came; what is under way or there goes on. */
function refuse(problem: Problem): void {
  if (problem.code === 'sample-missing') {
    showOutcome('');
    button('again').disabled = current === undefined;
  }
  showProblem(problem);
}

/** Trying again is offered where a picture waits for an engine. */
function showProblem(problem: Problem | undefined): void {
  find('problem').hidden = problem === undefined;
  if (!problem) return;
  const { title, next } = adviceFor(problem);
  find('problem-title').textContent = title;
  find('problem-code').textContent = problem.code;
  find('problem-reason').textContent = problem.message;
  find('problem-next').textContent = next;
  find('retry').hidden = current === undefined || reader !== undefined;
}

function openDrawing(isOpen: boolean): void {
  drawing.open(isOpen);
  find('stage').classList.toggle('draws', isOpen);
  find('draw').setAttribute('aria-expanded', String(isOpen));
}

async function copy(): Promise<void> {
  const read = places.flatMap(({ row }, place) => {
    const line = texts[place];
    return line && isText(line) ? [{ row, text: line.text }] : [];
  });
  try {
    await navigator.clipboard.writeText(textOf(read));
    button('copy').textContent = 'Copied';
    announce('The text is in the clipboard');
    setTimeout(() => (button('copy').textContent = 'Copy'), 2000);
  } catch (error) {
    getSelection()?.selectAllChildren(find('lines'));
    const reason = error instanceof Error ? error.message : String(error);
    showProblem({ code: 'copy-failed', message: `The browser says: ${reason}` });
  }
}

function offerThreads(): void {
  const why = whyOneThread();
  const count = Math.min(navigator.hardwareConcurrency, kMostThreads);
  if (why) {
    const box = find('isolation');
    box.append(make('h3', {}, why.title), ...why.text.map((text) => make('p', {}, ...withCode(text))));
    box.hidden = false;
    threads = 'one';
  } else {
    find('all-threads').textContent = `All ${count}`;
  }
  for (const input of document.querySelectorAll<HTMLInputElement>('input[name=threads]')) {
    input.checked = input.value === threads;
    input.disabled = why !== undefined && input.value === 'all';
    if (input.disabled) input.setAttribute('aria-describedby', 'isolation');
    input.addEventListener('change', () => {
      threads = input.value === 'one' ? 'one' : 'all';
      endReader();
      read();
    });
  }
}

/** What stands in backquotes as code. */
const withCode = (text: string): (Node | string)[] =>
  text.split('`').map((part, i) => (i % 2 ? make('code', {}, part) : part));

offerSources({ onWait: wait, onPicture: take, onProblem: refuse });
offerThreads();
find('again').addEventListener('click', read);
find('retry').addEventListener('click', read);
find('copy').addEventListener('click', () => void copy());
find('draw').addEventListener('click', () => openDrawing(!drawing.isOpen));
