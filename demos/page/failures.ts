// What to tell when something did not work, by code: FuselaneError's codes that a page can meet, and the page's own.

import type { Problem } from '../worker/messages.js';

interface Advice {
  readonly title: string;
  readonly next: string;
}

const kReload = 'Try again; if it fails again, reload the page.';

const advice: Readonly<Record<string, Advice>> = {
  'read-failed': {
    title: 'A network could not be downloaded',
    next: 'Check the connection, then try again. On a site of your own: put the files of site/assets beside the page.',
  },
  'invalid-model': {
    title: 'What was downloaded is not a network',
    next: 'The server answered with something else, often a page of its own. Put the files of site/assets beside the page, then try again.',
  },
  'engine-unavailable': {
    title: 'The engine could not start',
    next: 'It needs WebAssembly with SIMD and exceptions: Chrome 95, Firefox 100, Safari 16.4 or newer. If the browser is new enough, try again.',
  },
  'engine-ended': { title: 'The engine stopped', next: kReload },
  'out-of-memory': {
    title: 'The memory is full',
    next: 'Close other tabs, or take a smaller picture, then try again.',
  },
  'unreadable-picture': {
    title: 'This is no picture that can be read',
    next: 'Take another file: PNG, JPEG, WebP, GIF, AVIF or BMP.',
  },
  'sample-missing': {
    title: 'The sample could not be downloaded',
    next: 'Check the connection, then press it again.',
  },
  'no-picture': {
    title: 'There is no picture in that',
    next: 'Copy a picture or take a screenshot first, or choose a file.',
  },
  'no-clipboard': {
    title: 'The page may not read the clipboard',
    next: 'Press Ctrl+V (⌘V on a Mac), which needs no permission, or choose a file.',
  },
  'copy-failed': {
    title: 'The text was not copied',
    next: 'It is selected now: press Ctrl+C (⌘C on a Mac).',
  },
};

const kOther: Advice = { title: 'This is a mistake in the page', next: kReload };

export const adviceFor = ({ code }: Problem): Advice => advice[code] ?? kOther;
