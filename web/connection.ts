// Calls over a channel: each gets an id, waits for its answer, can be cancelled and reports progress.

import { BufferPool } from './buffers.js';
import { cancelled, FuselaneError, fromPlain, reasonOf, type PlainError } from './errors.js';
import type { Call, Calls, Channel, FromHost, Kind, Listener } from './messages.js';
import type { LoadOptions, Progress } from './types.js';

interface Pending {
  readonly resolve: (result: Calls[Kind]['result']) => void;
  readonly reject: (error: FuselaneError) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

export type OpenChannel = (listener: Listener) => Channel | Promise<Channel>;

export class Connection {
  private readonly pending = new Map<number, Pending>();
  private nextId = 1;
  /** For feeds. */
  readonly buffers = new BufferPool();
  private end: PlainError | undefined;

  private constructor(private readonly log: ((line: string) => void) | undefined) {}

  private channel!: Channel;

  static async open(open: OpenChannel, log: ((line: string) => void) | undefined): Promise<Connection> {
    const connection = new Connection(log);
    connection.channel = await open({
      message: (message) => connection.receive(message),
      ended: (error) => connection.close(error),
    });
    return connection;
  }

  /** Rejects with FuselaneErrors only. */
  call<K extends Kind>(
    kind: K,
    request: Calls[K]['request'],
    { onProgress, signal }: LoadOptions = {},
    transfer: ArrayBuffer[] = [],
  ): Promise<Calls[K]['result']> {
    if (signal?.aborted) return Promise.reject(cancelled(signal.reason));
    if (this.end) return Promise.reject(fromPlain(this.end));
    const id = this.nextId++;
    const flag = signal && this.channel.takesFlags ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
    const cancel = (): void => {
      if (flag) Atomics.store(flag, 0, 1);
      this.channel.post({ id, cancel: true }, []);
    };
    const answer = new Promise<Calls[Kind]['result']>((resolve, reject) => {
      this.pending.set(id, { resolve, reject, onProgress });
    });
    this.channel.hold(true);
    try {
      this.channel.post({ id, call: { kind, request } as Call, ...(flag && { flag }) }, transfer);
    } catch (error) {
      const message = `the call cannot be sent to the engine's worker: ${reasonOf(error)}`;
      this.receive({ id, error: { code: 'invalid-argument', message } });
    }
    signal?.addEventListener('abort', cancel);
    return answer.finally(() => signal?.removeEventListener('abort', cancel));
  }

  /** Whether nothing is left to dispose of. */
  get hasEnded(): boolean {
    return this.end !== undefined;
  }

  private receive(message: FromHost): void {
    if ('log' in message) return this.log?.(message.log);
    const pending = this.pending.get(message.id);
    if (!pending) return;
    if ('progress' in message) return pending.onProgress?.(message.progress);
    this.pending.delete(message.id);
    if (!this.pending.size) this.channel.hold(false);
    if ('error' in message) {
      pending.reject(fromPlain(message.error));
      return;
    }
    this.buffers.give(message.spent);
    pending.resolve(message.result);
  }

  /** Ends the host; calls under way and later ones are rejected with `error`. */
  async dispose(error: PlainError): Promise<void> {
    if (this.end) return;
    this.close(error);
    await this.channel.end();
  }

  private close(error: PlainError): void {
    this.end ??= error;
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(fromPlain(this.end));
  }
}
