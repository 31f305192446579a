// What is known of this machine: its system, who we are on it, and which programs are there. Nothing here
// changes anything.

import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SetupError } from './terminal.mjs';

/** The repository's folder, without a slash at the end. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/**
 * The standard output of a command, or undefined where it is missing or fails.
 * @param {string} command
 * @param {string[]} args
 */
export function output(command, args) {
  const result = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/** The major version of Debian, or 0 where this is another system. */
export function debianRelease() {
  if (process.platform !== 'linux' || !existsSync('/etc/os-release')) return 0;
  const text = readFileSync('/etc/os-release', 'utf8');
  const field = (/** @type {string} */ name) => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(text)?.[1];
  return field('ID') === 'debian' ? Number(field('VERSION_ID') ?? 0) : 0;
}

/** How this machine is called in messages. */
export function systemName() {
  const debian = debianRelease();
  return `${debian ? `Debian ${debian}` : process.platform} on ${process.arch}`;
}

/**
 * Whether a version is at least another, both as numbers with dots.
 * @param {string} version
 * @param {string} wanted
 */
export function atLeast(version, wanted) {
  const [have, want] = [version, wanted].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10) || 0),
  );
  for (let i = 0; i < want.length; ++i) {
    const difference = (have[i] ?? 0) - want[i];
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/**
 * A second work tree may link to folders of the first one; such a folder is never changed through the link.
 * @param {string} folder
 */
export function refuseLink(folder) {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new SetupError(
    `${folder} is a link, and what it leads to is missing or out of date: run the set-up there, or remove the link`,
  );
}

/** The first of Chromium's usual places that exists; FUSELANE_CHROMIUM names another. */
export function chromium() {
  const places = [
    process.env.FUSELANE_CHROMIUM,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ];
  return places.find((place) => place !== undefined && existsSync(place));
}
