// `fuselane dump MODEL --at=LEVEL`: a model's text at one level of the compiler; `--pass` picks a state of the graph.

import { load } from 'fuselane';

export async function dump(
  file: string,
  { at, pass, json = false }: { at: string; pass?: string; json?: boolean },
): Promise<void> {
  const model = await load(file);
  const text = await model.dump(at, pass === undefined ? {} : { pass });
  await model.dispose();
  console.log(json ? JSON.stringify({ model: file, level: at, pass, text }, null, 2) : text.trimEnd());
}
