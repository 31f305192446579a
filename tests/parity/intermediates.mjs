// @ts-check
// Rewrites an ONNX model so that every value of its main graph is an output too. The added outputs carry a name only:
// their types follow from the nodes. Values inside subgraphs (of If and the like) stay inside.

import { fields, lengthDelimited, readModel } from '../../tools/zoo/onnx_wire.mjs';

const kModelGraph = 7; // ModelProto.graph
const kGraphOutput = 12; // GraphProto.output
const kValueName = 1; // ValueInfoProto.name

/**
 * @param {Uint8Array} model
 * @returns {{ bytes: Uint8Array, added: string[] }}
 */
export function withEveryOutput(model) {
  const { graph } = readModel(model);
  const outputs = new Set(graph.outputs.map((output) => output.name));
  const added = graph.nodes
    .flatMap((node) => node.outputs)
    .filter((name) => name !== '' && !outputs.has(name));
  const appended = added.map((name) =>
    lengthDelimited(kGraphOutput, lengthDelimited(kValueName, Buffer.from(name))),
  );
  const parts = [];
  for (const { field, bytes, start, end } of fields(model)) {
    if (field === kModelGraph) parts.push(lengthDelimited(field, Buffer.concat([bytes, ...appended])));
    else parts.push(model.subarray(start, end));
  }
  return { bytes: Buffer.concat(parts), added };
}
