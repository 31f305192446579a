// A picture's pixels, and what a file that cannot be read as a picture is.

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** 8-bit RGBA, rows from the top; every alpha is 255. */
  readonly rgba: Uint8ClampedArray;
}

/** More pixels than any camera's picture of text has; a PNG of a few kB can claim billions. */
export const kMaxPixels = 100e6;

/** What files begin with (at an offset). */
const kinds: readonly [offset: number, beginning: string, kind: string][] = [
  [0, '\x89PNG\r\n\x1a\n', 'a PNG picture'],
  [0, '\xff\xd8\xff', 'a JPEG picture'],
  [0, 'GIF8', 'a GIF picture'],
  [8, 'WEBP', 'a WebP picture'],
  [0, 'BM', 'a BMP picture'],
  [0, 'II*\0', 'a TIFF picture'],
  [0, 'MM\0*', 'a TIFF picture'],
  [4, 'ftypavif', 'an AVIF picture'],
  [4, 'ftyp', 'a HEIF picture or a film'],
  [0, '%PDF', 'a PDF document'],
  [0, '<svg', 'an SVG drawing'],
  [0, '<?xml', 'an XML document'],
  [0, '<!DOCTYPE', 'an HTML page'],
  [0, '<html', 'an HTML page'],
  [0, 'version https://git-lfs', 'a Git LFS pointer (run "git lfs pull" to get the file itself)'],
];

/** What a file is by its first bytes, in words for messages: "a PDF document". */
export function kindOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'empty';
  const known = kinds.find(([offset, beginning]) => beginsWith(bytes, offset, beginning));
  if (known) return known[2];
  const first = [...bytes.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `of an unknown kind (it begins with the bytes ${first.join(' ')})`;
}

function beginsWith(bytes: Uint8Array, offset: number, beginning: string): boolean {
  return [...beginning].every((char, i) => bytes[offset + i] === char.charCodeAt(0));
}
