// Why this page has one thread only, and what changes that.

export interface Isolation {
  readonly title: string;
  /** Paragraphs; what stands in backquotes is code. */
  readonly text: readonly string[];
}

/** Undefined where memory can be shared, so that all threads can work. */
export function whyOneThread(): Isolation | undefined {
  if (!window.isSecureContext) {
    return {
      title: 'One thread only: this address is not secure',
      text: [
        'Browsers share memory between threads only in pages from https or from `localhost`. Everything works here, on one thread.',
        'To change that, open the page through https, or on the computer that serves it through `http://localhost`.',
      ],
    };
  }
  if (!window.crossOriginIsolated) {
    return {
      title: 'One thread only: this page is not isolated',
      text: [
        'Browsers share memory between threads only in pages that are cross-origin isolated. Everything works here, on one thread.',
        'To change that, the server has to send two headers with the page: `Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy: require-corp`. `npm start` in a clone of the project serves the page with them; hosts that let you set headers have a file or a panel for it.',
      ],
    };
  }
  if (typeof SharedArrayBuffer === 'undefined') {
    return {
      title: 'One thread only: this browser does not share memory',
      text: [
        'The page is isolated, but the browser has no SharedArrayBuffer. Everything works here, on one thread.',
        'To change that, use a current Chromium, Firefox or Safari.',
      ],
    };
  }
  return undefined;
}
