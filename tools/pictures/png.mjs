// @ts-check
// Writes PNG files of every color type and sample depth, for test pictures. In: samples as numbers, row by row.
// Out: the file's bytes. Not interlaced, filter 0 on each row.

import { deflateSync } from 'node:zlib';

/** Channels by PNG's color type: 0 gray, 2 RGB, 3 palette, 4 gray + alpha, 6 RGB + alpha. */
const channelsOf = new Map([[0, 1], [2, 3], [3, 1], [4, 2], [6, 4]]); // prettier-ignore

/** CRC-32 of ISO 3309, as PNG's annex D has it. @param {Buffer} bytes */
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** @param {string} type @param {Uint8Array} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

/** One row's samples, packed from the high bit on. @param {ArrayLike<number>} samples @param {number} depth */
function packed(samples, depth) {
  const row = new Uint8Array(Math.ceil((samples.length * depth) / 8));
  for (let i = 0; i < samples.length; i++) {
    if (depth === 16) {
      row[2 * i] = samples[i] >> 8;
      row[2 * i + 1] = samples[i] & 255;
    } else {
      const bit = i * depth;
      row[bit >> 3] |= samples[i] << (8 - depth - (bit & 7));
    }
  }
  return row;
}

/**
 * @typedef {{ width: number, height: number, colorType: number, depth: number, samples: ArrayLike<number>,
 *   palette?: number[][], transparency?: number[] }} Png  transparency: an alpha for each palette entry, or for gray
 *   and RGB the 16-bit sample values that are transparent
 * @param {Png} png
 */
export function encodePng({ width, height, colorType, depth, samples, palette, transparency }) {
  const channels = channelsOf.get(colorType);
  if (channels === undefined) throw new Error(`${colorType} is no color type of PNG`);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = depth;
  header[9] = colorType;
  const rows = [];
  const values = Array.from(samples);
  for (let y = 0; y < height; y++) {
    rows.push(
      Uint8Array.of(0),
      packed(values.slice(y * width * channels, (y + 1) * width * channels), depth),
    );
  }
  const chunks = [chunk('IHDR', header)];
  if (palette) chunks.push(chunk('PLTE', Uint8Array.from(palette.flat())));
  if (transparency) {
    const words = transparency.flatMap((value) => (colorType === 3 ? [value] : [value >> 8, value & 255]));
    chunks.push(chunk('tRNS', Uint8Array.from(words)));
  }
  chunks.push(chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })), chunk('IEND', new Uint8Array()));
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]);
}
