// How the command line shows ports, tensors, errors and times.

import { FuselaneError, type Port, type Tensor } from 'fuselane';

export const portText = ({ name, type, dims }: Port): string =>
  `${name}: ${type} ${dims ? `[${dims.map((dim) => dim ?? '?').join(', ')}]` : '(any rank)'}`;

/** A tensor's place, extent and spread in one line. */
export function tensorText(name: string, { type, dims, data }: Tensor): string {
  const { min, max, mean, nonFinite } = spread(data);
  const values = data.length === 0 ? 'empty' : `min ${short(min)}, max ${short(max)}, mean ${short(mean)}`;
  return `${name}: ${type} [${dims.join(', ')}]  ${values}${nonFinite ? `, ${nonFinite} not finite` : ''}`;
}

const short = (value: number): string => String(Number(value.toPrecision(6)));

/** Over the finite elements. */
export function spread(data: Tensor['data']) {
  let [min, max, sum, finite] = [Infinity, -Infinity, 0, 0];
  for (const element of data) {
    const value = Number(element);
    if (!Number.isFinite(value)) continue;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    finite++;
  }
  return { min, max, mean: sum / finite, nonFinite: data.length - finite };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (i: number): number => sorted[i] ?? NaN;
  return sorted.length % 2 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2;
}

export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;

export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

/** An error as a person sees it: the sentence, then code and place. */
export function errorText(error: unknown): string {
  if (!(error instanceof FuselaneError))
    return `error: ${error instanceof Error ? error.message : String(error)}`;
  const place = [
    error.code,
    error.node && `node ${error.node}`,
    error.offset !== undefined && `byte ${error.offset}`,
  ];
  return `error: ${error.message} (${place.filter(Boolean).join(', ')})`;
}

export function errorObject(error: unknown): object {
  if (!(error instanceof FuselaneError))
    return { error: { message: error instanceof Error ? error.message : String(error) } };
  const { code, message, node, subject, offset } = error;
  return { error: { code, message, node, subject, offset } };
}
