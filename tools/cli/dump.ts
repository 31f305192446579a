// `fuselane dump MODEL --at=LEVEL`: a model's text at one level of the compiler. `--pass` picks a state of the graph; a
// plan is made for shapes, so the model is run once on inputs like those of `fuselane run`.

import { load } from 'fuselane';
import { makeFeeds } from './inputs.js';

interface Options {
  at: string;
  pass?: string;
  input?: string[];
  json?: boolean;
}

export async function dump(file: string, { at, pass, input = [], json = false }: Options): Promise<void> {
  const model = await load(file);
  if (at === 'plan') await model.run(makeFeeds(model.inputs, input, 1));
  const text = await model.dump(at, pass === undefined ? {} : { pass });
  await model.dispose();
  console.log(json ? JSON.stringify({ model: file, level: at, pass, text }, null, 2) : text.trimEnd());
}
