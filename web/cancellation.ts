// Whether the answer to a call is still wanted.

import { cancelled } from './errors.js';

/** A run makes no AbortController: two of them, one to end the listening to the other, took 20 us in Chromium 156. */
export class Cancellation {
  private controller: AbortController | undefined;
  private onCancel: (() => void) | undefined;
  private isCancelled = false;

  get cancelled(): boolean {
    return this.isCancelled;
  }

  /** For what takes an AbortSignal. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isCancelled) this.controller.abort();
    return this.controller.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.controller?.abort();
    this.onCancel?.();
  }

  /** The outcome of the promise, or `cancelled` as soon as it is cancelled. One promise at a time. */
  orCancelled<T>(promise: Promise<T>): Promise<T> {
    if (this.isCancelled) return Promise.reject(cancelled());
    return new Promise((resolve, reject) => {
      this.onCancel = () => reject(cancelled());
      promise.then(resolve, reject).finally(() => (this.onCancel = undefined));
    });
  }
}
