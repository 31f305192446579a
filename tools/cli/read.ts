// Texts from files.

import { readFileSync } from 'node:fs';
import { FuselaneError } from 'fuselane';

/** Error: read-failed. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const message = `${file} cannot be read (${(error as Error).message}): check the path`;
    throw new FuselaneError('read-failed', message, { subject: file }, error);
  }
}
