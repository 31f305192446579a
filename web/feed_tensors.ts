// The engine's tensors that feeds are copied into. They are kept for the next feeds of the same type and dims: to make
// one and to release it takes 40 us, and memory that was never touched is slow to write.

import type { Core } from './core.js';
import type { DType } from './types.js';

/** `pointer` is good as long as the tensor is. */
export interface FeedTensor {
  readonly tensor: number;
  readonly pointer: number;
  readonly bytes: number;
  readonly type: DType;
  readonly dims: readonly number[];
}

/** Of those that are kept: a picture of 640 x 640 has 5 MB as float32. */
const kMostBytes = 8 << 20;

export class FeedTensors {
  private free: FeedTensor[] = [];

  /** What lies in it is of no meaning. Errors: out-of-memory, invalid-argument. */
  take({ call }: Core, type: DType, dims: readonly number[]): FeedTensor {
    const at = this.free.findIndex((tensor) => tensor.type === type && same(tensor.dims, dims));
    const [known] = at < 0 ? [] : this.free.splice(at, 1);
    if (known) return known;
    const { tensor } = call.allocate(type, dims);
    const { pointer, bytes } = call.tensor(tensor);
    return { tensor, pointer, bytes, type, dims };
  }

  /** Takes back what is not read any more. The oldest are released when there is too much. */
  give({ call }: Core, tensors: readonly FeedTensor[]): void {
    this.free.push(...tensors);
    let bytes = this.free.reduce((sum, tensor) => sum + tensor.bytes, 0);
    while (bytes > kMostBytes) {
      const oldest = this.free.shift();
      if (!oldest) return;
      call.release(oldest.tensor);
      bytes -= oldest.bytes;
    }
  }
}

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((extent, i) => extent === b[i]);
