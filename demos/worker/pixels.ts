// Decodes a picture file with the browser's own decoders. Out: upright RGBA over white, no side longer than kLongestSide.

import { kindOf, kMaxPixels, type Picture } from '../../tools/ocr/picture.js';

/** Text that is legible at this size is far larger than what the detection network sees; more only costs memory. */
const kLongestSide = 3072;

export class PictureError extends Error {
  readonly code = 'unreadable-picture';
}

/** Error: PictureError, which names the file and what it is. */
export async function pixelsOf(blob: Blob, name: string): Promise<Picture> {
  const bitmap = await decoded(blob, name);
  try {
    const scale = Math.min(1, kLongestSide / Math.max(bitmap.width, bitmap.height));
    const side = (extent: number): number => Math.max(1, Math.round(extent * scale));
    const [width, height] = [side(bitmap.width), side(bitmap.height)];
    const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    if (!context) throw new PictureError('this browser gives no canvas to read pixels from');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, width, height);
    return { width, height, rgba: context.getImageData(0, 0, width, height).data };
  } finally {
    bitmap.close();
  }
}

async function decoded(blob: Blob, name: string): Promise<ImageBitmap> {
  let bitmap;
  try {
    bitmap = await createImageBitmap(blob);
  } catch {
    const kind = kindOf(new Uint8Array(await blob.slice(0, 64).arrayBuffer()));
    throw new PictureError(
      kind.endsWith('picture')
        ? `${name} is ${kind} that this browser cannot decode: it is damaged, or of a kind it does not know`
        : `${name} is ${kind}; a picture was expected`,
    );
  }
  const { width, height } = bitmap;
  if (width * height <= kMaxPixels) return bitmap;
  bitmap.close();
  throw new PictureError(
    `${name} is ${width} x ${height} pixels; at most ${kMaxPixels / 1e6} million were expected`,
  );
}
