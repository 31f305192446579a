// The files that are formatted and checked: those that git knows, or would add.

import { output, root } from './machine.mjs';
import { SetupError } from './terminal.mjs';

const cppFile = /\.(cc|h)$/;
const webFile = /\.(ts|mjs|js|json|css|html|yml)$/;

export function sourceFiles() {
  const listed = output('git', [
    '-C',
    root,
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
  ]);
  if (listed === undefined)
    throw new SetupError('git could not list the files of this folder: format and lint run in a git clone');
  const deleted = output('git', ['-C', root, 'ls-files', '--deleted'])?.split('\n') ?? [];
  const files = listed.split('\n').filter((file) => !deleted.includes(file));
  return { cpp: files.filter((file) => cppFile.test(file)), web: files.filter((file) => webFile.test(file)) };
}
