// `fuselane explain MODEL --structure`: what becomes of a model's nodes, without times, as text that is the same on every
// machine. Two lines of it differ where the plans do: which nodes become one step, by which kernel, what only moves
// elements, where threads wait for each other.

import type { ReportDetail, SimdLevel, Step } from 'fuselane';

/** Operators that compute nothing: their steps are the price of how a model is written. */
const moving = new Set([
  'Concat', 'DepthToSpace', 'Expand', 'Flatten', 'Gather', 'Identity', 'Pad', 'Reshape', 'Slice', 'SpaceToDepth', 'Split',
  'Squeeze', 'Tile', 'Transpose', 'Unsqueeze',
]); // prettier-ignore

const counted = (names: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
};

/** The steps of each group, and those between groups by themselves. */
export function groupsOf(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  const byNumber = new Map<number, Step[]>();
  for (const step of steps) {
    const known = step.group === undefined ? undefined : byNumber.get(step.group);
    if (known) {
      known.push(step);
      continue;
    }
    const group = [step];
    groups.push(group);
    if (step.group !== undefined) byNumber.set(step.group, group);
  }
  return groups;
}

const isMove = (step: Step): boolean =>
  step.nodes.length > 0 && step.nodes.every(({ operator }) => moving.has(operator));

/** All nodes, operands' first; or the one that a layout is changed for. */
export const nodesText = ({ nodes, node, operator }: Step): string =>
  nodes.length === 0
    ? `layout for ${operator} ${node}`
    : nodes.map((each) => `${each.operator} ${each.node}`).join(' + ');

export interface StructureOptions {
  readonly threads: number;
  readonly simd: SimdLevel;
}

export function structureText(detail: ReportDetail, { threads, simd }: StructureOptions): string {
  const { steps, groups, conversions, barriers } = detail;
  const all = groupsOf(steps);
  const moves = all.flatMap(([first]) => (first && isMove(first) ? [first.nodes[0]?.operator ?? ''] : []));
  const nodes = all.reduce((sum, [first]) => sum + (first?.nodes.length ?? 0), 0);
  const lines = [
    `threads ${threads}, SIMD ${simd}`,
    `${nodes} nodes in ${groups} groups, ${steps.length} steps, ${barriers} barriers`,
    `steps by kind: ${counted(steps.map(({ kind }) => kind)) || 'none'}`,
    `only moved: ${[counted(moves), conversions > 0 && `layouts ${conversions}`].filter(Boolean).join(', ') || 'nothing'}`,
    '',
  ];
  for (const group of all) {
    const [first] = group;
    if (!first) continue;
    lines.push(nodesText(first));
    for (const { kind, kernel, chunks, stage } of group)
      lines.push(
        `  ${kind === 'reference' ? kind : `${kind} ${kernel}`}; stage ${stage}${chunks > 1 ? ', shared' : ''}`,
      );
  }
  return `${lines.join('\n')}\n`;
}
