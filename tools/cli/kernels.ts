// The kernels that are made for a model: their tasks, each once, in the order of their first steps. They are made for
// shapes, so the model is run on the inputs that are given.

import { FuselaneError, type Feeds, type Model, type SimdLevel } from 'fuselane';

export interface ModelKernel {
  /** From 1 on. */
  readonly number: number;
  /** As text, which the workbench reads. */
  readonly task: string;
  readonly steps: number;
}

export interface ModelKernels {
  readonly kernels: readonly ModelKernel[];
  /** The steps that run without one: how many for each of the library's kernels, and for references. */
  readonly others: ReadonlyMap<string, number>;
  /** What they are made for. */
  readonly simd: SimdLevel;
  readonly sharedMemory: boolean;
}

export async function kernelsOf(model: Model, feeds: Feeds): Promise<ModelKernels> {
  const { steps } = await model.profile(feeds, { runs: 1 });
  const uses = (made: boolean): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const { kernel, kind } of steps) {
      if ((kind === 'generated') === made) counts.set(kernel, (counts.get(kernel) ?? 0) + 1);
    }
    return counts;
  };
  const { simd, build } = await model.report();
  return {
    kernels: [...uses(true)].map(([task, count], i) => ({ number: i + 1, task, steps: count })),
    others: uses(false),
    simd,
    sharedMemory: build === 'threads',
  };
}

/**
 * The kernel of that number, or the one whose task is that text or has it somewhere. Error: invalid-argument where there
 * is none, or more than one.
 */
export function findKernel(kernels: readonly ModelKernel[], asked: string): ModelKernel {
  const found = /^\d+$/.test(asked)
    ? kernels.filter(({ number }) => number === Number(asked))
    : kernels.filter(({ task }) => task.includes(asked));
  const [kernel] = found.length > 1 ? found.filter(({ task }) => task === asked) : found;
  if (kernel) return kernel;
  const message =
    found.length > 1
      ? `"${asked}" is in the tasks of the kernels ${found.map(({ number }) => number).join(', ')}: give one of these numbers`
      : `the model has no kernel "${asked}": it has ${kernels.length}; --at=tasks lists them`;
  throw new FuselaneError('invalid-argument', message, { subject: 'kernel' });
}

export const stepsText = (count: number): string => (count === 1 ? '1 step' : `${count} steps`);
