// Every message between the page and the worker that reads. A worker has one engine with a fixed number of threads;
// pictures are read one at a time, a newer one ends the one before.

import type { Report } from 'fuselane';
import type { ReadText } from '../../tools/ocr/ctc.js';
import type { Stage } from '../../tools/ocr/networks.js';
import type { Place } from '../../tools/ocr/page_reader.js';

export type ToWorker =
  /** First: loads the engine and both networks. All threads there are when none are given. */
  | { readonly start: { readonly threads?: number } }
  /** Reads a picture; those that came before and are not done yet are given up without an answer. */
  | { readonly read: { readonly id: number; readonly blob: Blob; readonly name: string } };

/** Milliseconds of each stage; the first is the browser's. */
export type Times = Readonly<Partial<Record<'decode' | Stage, number>>>;

/** Why it did not work: a FuselaneError's code, or one of the page's own. */
export interface Problem {
  readonly code: string;
  readonly message: string;
}

export type FromWorker =
  | { readonly loading: { readonly loaded: number; readonly total?: number } }
  | { readonly started: Report }
  /** Places are in pixels of this size, the picture's or less. */
  | { readonly decoded: { readonly id: number; readonly width: number; readonly height: number } }
  | { readonly found: { readonly id: number; readonly places: readonly Place[] } }
  | { readonly line: { readonly id: number; readonly place: number; readonly read: ReadText } }
  | { readonly done: { readonly id: number; readonly times: Times; readonly report: Report } }
  /** With an id a picture could not be read, without one the worker is of no use. */
  | { readonly failed: Problem & { readonly id?: number } };
