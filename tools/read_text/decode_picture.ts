// Reads a PNG or JPEG file. In: the file's bytes and its name for messages. Out: 8-bit RGBA, upright, composited over
// white, so that every alpha is 255. Every other kind of file is refused with an error that names the file and what
// was found.

import { decode as decodePng, type DecodedPng } from 'fast-png';
import { decode as decodeJpegData } from 'jpeg-js';
import { kindOf, kMaxPixels, type Picture } from '../ocr/picture.js';
import { exifOrientation, turnUpright } from './orientation.js';

/**
 * @param name the file's name, for messages
 * @throws Error in one sentence when the bytes are no whole PNG or JPEG picture
 */
export function decodePicture(bytes: Uint8Array, name: string): Picture {
  const kind = kindOf(bytes);
  if (kind === 'a PNG picture') return attempt(name, 'PNG', () => readPng(bytes));
  if (kind === 'a JPEG picture') return attempt(name, 'JPEG', () => readJpeg(bytes));
  throw new Error(`${name} is ${kind}; a PNG or JPEG picture was expected`);
}

function attempt(name: string, format: string, read: () => Picture): Picture {
  try {
    return read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${name} is a ${format} picture that cannot be read: ${reason}`, { cause: error });
  }
}

function checkSize(width: number, height: number): void {
  if (width > 0 && height > 0 && width * height <= kMaxPixels) return;
  throw new Error(
    `it is ${width} x ${height} pixels; between 1 and ${kMaxPixels / 1e6} million were expected`,
  );
}

function readJpeg(bytes: Uint8Array): Picture {
  const { width, height, data } = decodeJpegData(bytes, {
    useTArray: true,
    tolerantDecoding: false,
    maxResolutionInMP: kMaxPixels / 1e6,
    maxMemoryUsageInMB: 2048,
  });
  checkSize(width, height);
  const rgba = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
  return turnUpright({ width, height, rgba }, exifOrientation(bytes));
}

function readPng(bytes: Uint8Array): Picture {
  if (bytes.length < 33) throw new Error('it ends within its header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  checkSize(view.getUint32(16), view.getUint32(20));
  // fast-png takes every pixel of an interlaced picture for a whole byte (8.0.0).
  const bits = view.getUint8(24);
  if (view.getUint8(28) !== 0 && bits < 8)
    throw new Error(`it is interlaced with ${bits} bits a sample; save it without interlacing`);
  return compositePng(decodePng(bytes, { checkCrc: true }));
}

/**
 * The number of channels tells PNG's color types apart: 1 is gray or an index into the palette, 2 gray and alpha, 3 RGB,
 * 4 RGB and alpha. Without an alpha channel one sample value may stand for transparent (the tRNS chunk).
 */
function compositePng(png: DecodedPng): Picture {
  const { width, height } = png;
  const color = pixelColors(png);
  const rgba = new Uint8ClampedArray(4 * width * height);
  for (let i = 0; i < width * height; i++) {
    const [red, green, blue, alpha] = color(i);
    const paper = 255 * (1 - alpha);
    rgba[4 * i] = red * alpha + paper;
    rgba[4 * i + 1] = green * alpha + paper;
    rgba[4 * i + 2] = blue * alpha + paper;
    rgba[4 * i + 3] = 255;
  }
  return { width, height, rgba };
}

/** Red, green and blue from 0 to 255, alpha from 0 to 1. */
type Color = readonly [red: number, green: number, blue: number, alpha: number];

function pixelColors(png: DecodedPng): (i: number) => Color {
  const { channels, palette, transparency: hidden } = png;
  const sample = sampler(png);
  const white = 2 ** png.depth - 1;
  const level = (value: number): number => (255 * value) / white;
  if (channels === 1 && palette) {
    return (i) => {
      const [red, green, blue, alpha = 255] = palette[sample(i, 0)] ?? [];
      if (red === undefined || green === undefined || blue === undefined)
        throw new Error(`pixel ${i} has color ${sample(i, 0)} of a palette of ${palette.length}`);
      return [red, green, blue, alpha / 255];
    };
  }
  if (channels < 3) {
    return (i) => {
      const gray = sample(i, 0);
      const alpha = channels === 2 ? sample(i, 1) / white : hidden?.[0] === gray ? 0 : 1;
      return [level(gray), level(gray), level(gray), alpha];
    };
  }
  return (i) => {
    const [red, green, blue] = [sample(i, 0), sample(i, 1), sample(i, 2)];
    const isHidden = hidden?.[0] === red && hidden[1] === green && hidden[2] === blue;
    const alpha = channels === 4 ? sample(i, 3) / white : isHidden ? 0 : 1;
    return [level(red), level(green), level(blue), alpha];
  };
}

/** Sample c of pixel i; samples of less than a byte are packed from the high bit on, each row from a new byte. */
function sampler({ width, channels, depth, data }: DecodedPng): (i: number, c: number) => number {
  if (depth >= 8) return (i, c) => data[i * channels + c] ?? 0;
  const perByte = 8 / depth;
  const rowBytes = Math.ceil(width / perByte);
  return (i) => {
    const x = i % width;
    const byte = data[((i - x) / width) * rowBytes + Math.floor(x / perByte)] ?? 0;
    return (byte >> (8 - depth * ((x % perByte) + 1))) & (2 ** depth - 1);
  };
}
