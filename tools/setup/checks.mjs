// Format and lint of every source file: clang-format and prettier; eslint and the TypeScript compiler, which
// also reads the types in the comments of the .mjs files. The functions throw with the tools' own words about
// what is wrong.

import { root } from './machine.mjs';
import { sourceFiles } from './sources.mjs';
import { run } from './terminal.mjs';

const bin = `${root}/node_modules/.bin`;

/**
 * @param {{ log: string, write: boolean }} options write: repair the files instead of complaining
 */
export async function format({ log, write }) {
  const { cpp, web } = sourceFiles();
  const options = { log, cwd: root, append: true };
  if (cpp.length > 0)
    await run('clang-format-19', [...(write ? ['-i'] : ['--dry-run', '-Werror']), ...cpp], options);
  await run(`${bin}/prettier`, [write ? '--write' : '--check', '--log-level=warn', ...web], options);
}

/** @param {{ log: string }} options */
export async function lint({ log }) {
  const options = { log, cwd: root, append: true };
  await run(`${bin}/tsc`, ['--project', 'tools/lint'], options);
  await run(`${bin}/eslint`, ['--config', 'tools/lint/eslint.config.mjs', '--max-warnings=0', '.'], options);
}
