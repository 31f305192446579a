// `fuselane dump FILE --at=LEVEL`: the text of a model, or of a text that another dump has written, at one level of the
// compiler. `--pass` picks a state of a model's graph; a plan is made for shapes, so the model is run once on inputs like
// those of `fuselane run`.

import { readFileSync, writeFileSync } from 'node:fs';
import { FuselaneError, load, type SimdLevel } from 'fuselane';
import { makeFeeds } from './inputs.js';
import { isText, Workbench } from './workbench.js';

interface Options {
  at: string;
  pass?: string;
  input?: string[];
  simd: SimdLevel;
  schedule?: string;
  output?: string;
  json?: boolean;
}

export async function dump(file: string, options: Options): Promise<void> {
  const { at, pass, output, json = false } = options;
  const text = isText(file) ? await dumpText(file, options) : await dumpModel(file, options);
  if (output !== undefined) writeFileSync(output, text);
  else if (typeof text !== 'string') {
    const message = 'wasm is bytes: say with --output where they go';
    throw new FuselaneError('invalid-argument', message, { subject: 'output' });
  } else console.log(json ? JSON.stringify({ model: file, level: at, pass, text }, null, 2) : text.trimEnd());
}

async function dumpModel(file: string, { at, pass, input = [] }: Options): Promise<string> {
  const model = await load(file);
  try {
    if (at === 'plan') await model.run(makeFeeds(model.inputs, input, 1));
    return await model.dump(at, pass === undefined ? {} : { pass });
  } finally {
    await model.dispose();
  }
}

async function dumpText(file: string, { at, simd, schedule }: Options): Promise<string | Uint8Array> {
  const workbench = await Workbench.open();
  const options = { simd, ...(schedule !== undefined && { schedule: readText(schedule) }) };
  const text = readText(file);
  return at === 'wasm' ? workbench.assemble(text, options) : workbench.show(text, at, options);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = `${file} cannot be read (${(error as Error).message}): check the path`;
    throw new FuselaneError('read-failed', message, { subject: file }, error);
  }
}
