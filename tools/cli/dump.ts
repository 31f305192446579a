// `fuselane dump MODEL --at=LEVEL`: a model's text at one level of the compiler.

import { load } from 'fuselane';

export async function dump(
  file: string,
  { at, json = false }: { at: string; json?: boolean },
): Promise<void> {
  const model = await load(file);
  const text = await model.dump(at);
  await model.dispose();
  console.log(json ? JSON.stringify({ model: file, level: at, text }, null, 2) : text.trimEnd());
}
