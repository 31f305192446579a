// @ts-check
// The test pictures and what stands in them (drawn by tools/pictures/make.mjs).

import { readFileSync } from 'node:fs';

/**
 * @type {{ lines: { file: string, text: string, font: string, size: number, format: string }[],
 *   samples: { file: string, name: string, exact: boolean, text: string[] }[],
 *   pages: { file: string, text: string[] }[] }}
 */
export const pictures = JSON.parse(readFileSync(new URL('pictures.json', import.meta.url), 'utf8'));

/** @param {string} file */
export const readPicture = (file) => readFileSync(new URL(file, import.meta.url));
