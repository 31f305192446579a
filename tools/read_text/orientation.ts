// Turns a picture upright by the orientation that cameras write into a JPEG's Exif segment (Exif 2.3, section 4.6.4,
// tag 0x0112). In: the JPEG's bytes. Out: 1 (upright) to 8; 1 for whatever is not there or cannot be read.

import type { Picture } from '../ocr/picture.js';

const kOrientationTag = 0x0112;

export function exifOrientation(jpeg: Uint8Array): number {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.length);
  // Segments: 0xff, marker, big-endian length that counts its own two bytes. Exif is an APP1 (0xe1) before the scan (0xda).
  for (let at = 2; at + 10 <= jpeg.length && view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    const length = view.getUint16(at + 2);
    if (marker === 0xda) return 1;
    if (marker === 0xe1 && view.getUint32(at + 4) === 0x45786966) {
      const tiff = jpeg.subarray(at + 10, Math.min(at + 2 + length, jpeg.length));
      return orientationInTiff(new DataView(tiff.buffer, tiff.byteOffset, tiff.length));
    }
    at += 2 + length;
  }
  return 1;
}

function orientationInTiff(tiff: DataView): number {
  if (tiff.byteLength < 8) return 1;
  const little = tiff.getUint16(0) === 0x4949;
  const directory = tiff.getUint32(4, little);
  if (directory + 2 > tiff.byteLength) return 1;
  const entries = tiff.getUint16(directory, little);
  for (let i = 0; i < entries; i++) {
    const entry = directory + 2 + 12 * i;
    if (entry + 12 > tiff.byteLength) return 1;
    if (tiff.getUint16(entry, little) !== kOrientationTag) continue;
    const value = tiff.getUint16(entry + 8, little);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/**
 * Where pixel (x, y) of the upright picture lies in the stored one: orientations 5 to 8 swap the axes, then the stored
 * axes may run backwards.
 */
const orientations: readonly { swap: boolean; flipX: boolean; flipY: boolean }[] = [
  { swap: false, flipX: false, flipY: false },
  { swap: false, flipX: true, flipY: false },
  { swap: false, flipX: true, flipY: true },
  { swap: false, flipX: false, flipY: true },
  { swap: true, flipX: false, flipY: false },
  { swap: true, flipX: false, flipY: true },
  { swap: true, flipX: true, flipY: true },
  { swap: true, flipX: true, flipY: false },
];

export function turnUpright(picture: Picture, orientation: number): Picture {
  const turn = orientations[orientation - 1];
  if (!turn || orientation === 1) return picture;
  const width = turn.swap ? picture.height : picture.width;
  const height = turn.swap ? picture.width : picture.height;
  const from = new Uint32Array(picture.rgba.buffer, picture.rgba.byteOffset, picture.width * picture.height);
  const to = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const storedX = turn.swap ? y : x;
      const storedY = turn.swap ? x : y;
      const column = turn.flipX ? picture.width - 1 - storedX : storedX;
      const row = turn.flipY ? picture.height - 1 - storedY : storedY;
      to[y * width + x] = from[row * picture.width + column] ?? 0;
    }
  }
  return { width, height, rgba: new Uint8ClampedArray(to.buffer) };
}
