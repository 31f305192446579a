// What goes on, in words and as a bar. Screen readers hear the words when they are of another kind than before, not
// every number.

import { announce, find } from './dom.js';

const status = find('status');
const bar = find<HTMLProgressElement>('progress');
let announced = '';

/** @param kind what is announced once, such as "Reading"; empty for silence */
export function showProgress(text: string, part: number | undefined, kind: string): void {
  status.textContent = text;
  bar.hidden = false;
  if (part === undefined) bar.removeAttribute('value');
  else bar.value = part;
  if (kind !== announced) announce(kind);
  announced = kind;
}

/** Nothing goes on any more. */
export function showOutcome(text: string): void {
  status.textContent = text;
  bar.hidden = true;
  announced = '';
  announce(text);
}
