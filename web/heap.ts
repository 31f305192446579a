// The wasm memory as JavaScript sees it: no other file makes views over it. Views are made anew for every use, because
// growth detaches them (or, for shared memory, leaves them short). Views of shared memory go to no Web API that takes
// bytes (TextDecoder, streams, Blob): those refuse them. Copy first.

const kPage = 65536;
/** The core declares this much (wasm/CMakeLists.txt), so that a memory may not begin smaller. */
const kInitialPages = (16 << 20) / kPage;
/** Address space is reserved when the memory is made, and phones refuse large amounts: 4, 2, 1, 0.5 GB are tried. */
const kMaximumPages = [65536, 32768, 16384, 8192];

export class Heap {
  readonly memory: WebAssembly.Memory;
  readonly maximumBytes: number;

  /** Throws a RangeError when not even the smallest memory can be had. */
  constructor(shared: boolean) {
    let refusal: unknown;
    for (const maximum of kMaximumPages) {
      try {
        this.memory = new WebAssembly.Memory({ initial: kInitialPages, maximum, shared });
        this.maximumBytes = maximum * kPage;
        return;
      } catch (error) {
        refusal = error;
      }
    }
    throw refusal;
  }

  get bytes(): number {
    return this.memory.buffer.byteLength;
  }

  /** Valid until the core runs again. */
  view(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, pointer, length);
  }

  copyIn(pointer: number, bytes: ArrayBuffer): void {
    this.view(pointer, bytes.byteLength).set(new Uint8Array(bytes));
  }

  copyOut(pointer: number, length: number): ArrayBuffer {
    const copy = new Uint8Array(length);
    copy.set(this.view(pointer, length));
    return copy.buffer;
  }
}
