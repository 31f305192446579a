// Turns of the event loop, for work that would keep it too long.

/** Lets the event loop deliver what waits. Timers wait 4 ms after a few turns, messages do not. */
export function turnOfEvents(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** A page draws every 16 ms, and has work of its own to do in them. */
const kStretchMilliseconds = 6;

/** Work in pieces: `rest` returns to the event loop when the last time is long enough ago. */
export class Stretch {
  private began = performance.now();

  async rest(): Promise<void> {
    if (performance.now() - this.began < kStretchMilliseconds) return;
    await turnOfEvents();
    this.began = performance.now();
  }
}
