// Reads a whole picture: finds the places of text, puts them in order, and reads each.

import type { Engine, Model, Progress, Source } from 'fuselane';
import { crop, withMargin } from './crop.js';
import { readAlphabet, type ReadText } from './ctc.js';
import { findText, readLines, timed, type ReadOptions } from './networks.js';
import type { Picture } from './picture.js';
import type { Quad } from './quad.js';
import { inRows } from './reading_order.js';

/** A place of text; places in the same row of the picture have the same `row`. */
export interface Place {
  readonly quad: Quad;
  readonly row: number;
}
export interface TextLine extends Place, ReadText {}

export interface PageOptions extends ReadOptions {
  /** The places are found; they are read next, in any order. */
  readonly onPlaces?: (places: readonly Place[]) => void;
  /** A place was read. */
  readonly onLine?: (place: number, read: ReadText) => void;
}

export interface Networks {
  readonly detection: Source;
  readonly recognition: Source;
  /** One character a line. */
  readonly alphabet: string;
}

/** Below this a text is taken for a pattern that only looks like one, as PaddleOCR does. */
const kMinConfidence = 0.5;

/**
 * What is cut out is higher and longer than the place on all sides by this part of its height: without a margin the
 * recognition network joins words. Of 503 characters of the test pictures it then has 33 wrong, with this one 1, with
 * 0.1 or 0.2 2.
 */
const kMargin = 0.15;

export class PageReader {
  private constructor(
    readonly detection: Model,
    readonly recognition: Model,
    readonly alphabet: readonly string[],
  ) {}

  /** Progress is that of both downloads together; its total is known when both servers tell. */
  static async load(
    engine: Engine,
    { detection, recognition, alphabet }: Networks,
    { onProgress, signal }: { onProgress?: (progress: Progress) => void; signal?: AbortSignal } = {},
  ): Promise<PageReader> {
    const parts: [Progress, Progress] = [{ loaded: 0 }, { loaded: 0 }];
    const load = (part: 0 | 1, source: Source): Promise<Model> =>
      engine.load(source, {
        ...(signal && { signal }),
        onProgress: (progress) => {
          parts[part] = progress;
          onProgress?.(sum(parts));
        },
      });
    const models = await Promise.all([load(0, detection), load(1, recognition)]);
    return new PageReader(...models, readAlphabet(alphabet));
  }

  /** The lines in reading order, without those that are too uncertain to be text. */
  async read(picture: Picture, options: PageOptions = {}): Promise<TextLine[]> {
    const found = await findText(this.detection, picture, options);
    const places = inRows(found).flatMap((quads, row) => quads.map((quad) => ({ quad, row })));
    options.onPlaces?.(places);
    const crops = await timed('crop', options.watch, () =>
      places.map(({ quad }) => crop(picture, withMargin(quad, kMargin))),
    );
    const texts = new Map<number, ReadText>();
    await readLines(this.recognition, this.alphabet, crops, options, (place, read) => {
      texts.set(place, read);
      options.onLine?.(place, read);
    });
    return places
      .map((place, i) => ({ ...place, ...(texts.get(i) ?? { text: '', confidence: 0 }) }))
      .filter(isText);
  }
}

export const isText = ({ text, confidence }: ReadText): boolean =>
  text !== '' && confidence >= kMinConfidence;

/** The text of lines in reading order: a row a line, with tabs between what stands side by side in it. */
export function textOf(lines: readonly { readonly text: string; readonly row: number }[]): string {
  const rows = new Map<number, string[]>();
  for (const { row, text } of lines) rows.set(row, [...(rows.get(row) ?? []), text]);
  return [...rows.values()].map((row) => row.join('\t')).join('\n');
}

function sum(parts: readonly Progress[]): Progress {
  const add = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const totals = parts.flatMap(({ total }) => (total === undefined ? [] : [total]));
  const loaded = add(parts.map((part) => part.loaded));
  return totals.length === parts.length ? { loaded, total: add(totals) } : { loaded };
}
