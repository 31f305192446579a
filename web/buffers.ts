// Buffers that messages have carried, for the next ones: memory that was never touched is slow to write for the first
// time (256 kB took 0.85 ms in Chromium on a virtual machine, and 0.03 ms the next time).

const kMostBytes = 32 << 20;

export class BufferPool {
  private free: ArrayBuffer[] = [];

  /** A buffer of this size; what lies in it is of no meaning. */
  take(bytes: number): ArrayBuffer {
    const at = this.free.findIndex((buffer) => buffer.byteLength === bytes);
    return this.free.splice(at, at < 0 ? 0 : 1)[0] ?? new ArrayBuffer(bytes);
  }

  /** The oldest are dropped when there is too much. */
  give(buffers: readonly ArrayBuffer[]): void {
    this.free.push(...buffers);
    let bytes = this.free.reduce((sum, buffer) => sum + buffer.byteLength, 0);
    while (bytes > kMostBytes) bytes -= this.free.shift()?.byteLength ?? bytes;
  }
}
