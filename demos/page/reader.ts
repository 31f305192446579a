// The page's side of the worker that reads. A reader has one number of threads for its life; ending it frees its memory.

import type { FromWorker, ToWorker } from '../worker/messages.js';

export class Reader {
  readonly #worker: Worker;

  /** @param threads all there are when undefined */
  constructor(threads: number | undefined, listener: (message: FromWorker) => void) {
    this.#worker = new Worker(new URL('../worker/worker.ts', import.meta.url), {
      type: 'module',
      name: 'reader',
    });
    this.#worker.onmessage = ({ data }: MessageEvent<FromWorker>) => listener(data);
    this.#worker.onerror = (event) => {
      this.end();
      const reason = event.message ? `: ${event.message}` : '';
      listener({
        failed: { code: 'engine-unavailable', message: `the page's worker did not start${reason}` },
      });
    };
    this.#post({ start: threads === undefined ? {} : { threads } });
  }

  read(id: number, blob: Blob, name: string): void {
    this.#post({ read: { id, blob, name } });
  }

  end(): void {
    this.#worker.terminate();
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }
}
