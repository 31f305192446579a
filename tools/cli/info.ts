// `fuselane info MODEL`: what a model takes, gives and weighs.

import { load } from 'fuselane';
import { megabytes, portText } from './text.js';

export async function info(file: string, { json = false }: { json?: boolean }): Promise<void> {
  const model = await load(file);
  const { inputs, outputs } = model;
  const report = await model.report();
  await model.dispose();
  if (json) {
    console.log(JSON.stringify({ model: file, inputs, outputs, report }, null, 2));
    return;
  }
  console.log(file);
  for (const port of inputs) console.log(`  input   ${portText(port)}`);
  for (const port of outputs) console.log(`  output  ${portText(port)}`);
  console.log(`  nodes   ${report.nodesImported} in the file, ${report.nodes} after optimization`);
  console.log(`  memory  ${megabytes(report.weightBytes)} of weights, ${megabytes(report.heapBytes)} in all`);
}
