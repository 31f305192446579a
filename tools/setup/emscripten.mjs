// Step: Emscripten 3.1.69 or newer as .toolchain/emscripten, which the CMake presets name.
//  - Where `emcc` on PATH is new enough, .toolchain/emscripten is a link to its folder.
//  - On Debian 12, whose own package is too old, Debian 13's is unpacked there. Emscripten is Python and
//    libraries for wasm, so it runs anywhere; it drives Debian 12's clang-19, which is the LLVM it was made
//    for. Binaryen's programs are native and need Debian 13's C and C++ libraries: those are unpacked beside
//    them, and wrappers start the programs through their loader. Nothing outside the repository is changed.
//    apt fetches and verifies the packages, from the mirror that this machine uses.

import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { atLeast, debianRelease, output, refuseLink, root, systemName } from './machine.mjs';
import { run, SetupError } from './terminal.mjs';

const oldestVersion = '3.1.69';
const suite = 'trixie'; // Debian 13
const packages = ['emscripten', 'binaryen', 'libc6', 'libstdc++6', 'libgcc-s1'];
const recipe = `${suite} 1`; // raise the number when the steps below change: every clone then unpacks again
const toolchain = `${root}/.toolchain`;
const stamp = `${toolchain}/stamp`;

/** 1.2 of the package's 1.7 GB: libraries for link-time optimization and position-independent code, and tests. */
const leftOut = [
  '*/sysroot/lib/wasm32-emscripten/pic',
  '*/sysroot/lib/wasm32-emscripten/lto',
  '*/sysroot/lib/wasm32-emscripten/lto-pic',
  '*/emscripten/test',
  '*/share/doc',
  '*/share/man',
];

/** Emscripten reads this Python file, which EM_CONFIG then names; without NODE_JS it takes `node` from PATH. */
const configuration = `import os
LLVM_ROOT = '/usr/bin'
LLVM_ADD_VERSION = '19'
CLANG_ADD_VERSION = '19'
BINARYEN_ROOT = os.path.join(os.path.dirname(os.path.dirname(os.environ['EM_CONFIG'])), 'binaryen')
FROZEN_CACHE = True
`;

function emscriptenOnPath() {
  const version = /\d+\.\d+\.\d+/.exec(output('emcc', ['--version']) ?? '')?.[0];
  return version !== undefined && atLeast(version, oldestVersion)
    ? output('em-config', ['EMSCRIPTEN_ROOT'])
    : undefined;
}

/** Debian's mirror as this machine's apt knows it. */
function mirror() {
  const lines = output('apt-get', ['indextargets', '--format', '$(ORIGIN)|$(LABEL)|$(REPO_URI)']) ?? '';
  const line = lines.split('\n').find((text) => text.startsWith('Debian|Debian|'));
  if (!line)
    throw new SetupError(
      "apt knows no Debian mirror here: add one to /etc/apt/sources.list.d, then run 'apt-get update'",
    );
  return line.split('|')[2];
}

/** @param {import('./setup.mjs').Context} context */
async function unpackFromDebian({ log, progress }) {
  const work = `${toolchain}/unpacking`;
  rmSync(work, { recursive: true, force: true });
  for (const folder of ['lists/partial', 'cache/archives/partial', 'files'])
    mkdirSync(`${work}/${folder}`, { recursive: true });
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  writeFileSync(`${work}/sources.list`, `deb [signed-by=${keyring}] ${mirror()} ${suite} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${work}/sources.list`,
    'Dir::Etc::sourceparts=/dev/null',
    `Dir::State::lists=${work}/lists`,
    `Dir::Cache=${work}/cache`,
  ].flatMap((option) => ['-o', option]);
  const step = { log, progress, cwd: work, append: true };
  await run('apt-get', [...options, 'update'], step);
  await run('apt-get', [...options, 'download', ...packages.map((name) => `${name}/${suite}`)], step);
  for (const archive of readdirSync(work).filter((name) => name.endsWith('.deb'))) {
    const excludes = leftOut.map((pattern) => `--exclude='${pattern}'`).join(' ');
    progress.update(`unpacking ${archive}`);
    await run(
      'bash',
      ['-c', `set -o pipefail; dpkg-deb --fsys-tarfile '${archive}' | tar -x -C files ${excludes}`],
      step,
    );
  }
  arrange(`${work}/files`);
  rmSync(work, { recursive: true });
}

/**
 * Moves what was unpacked to where it stays.
 * @param {string} files
 */
function arrange(files) {
  for (const name of ['emscripten', 'binaryen', 'libraries'])
    rmSync(`${toolchain}/${name}`, { recursive: true, force: true });
  renameSync(`${files}/usr/share/emscripten`, `${toolchain}/emscripten`);
  renameSync(`${files}/usr/lib/x86_64-linux-gnu`, `${toolchain}/libraries`);
  const [programs, wrappers] = [`${toolchain}/binaryen/programs`, `${toolchain}/binaryen/bin`];
  for (const folder of [programs, wrappers]) mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(`${files}/usr/bin`).filter((program) => program.startsWith('wasm'))) {
    copyFileSync(`${files}/usr/bin/${name}`, `${programs}/${name}`);
    const start = '"$here/libraries/ld-linux-x86-64.so.2" --library-path "$here/libraries"';
    writeFileSync(
      `${wrappers}/${name}`,
      `#!/bin/sh\nhere="\${0%/*}/../.."\nexec ${start} "$here/binaryen/programs/${name}" "$@"\n`,
    );
    chmodSync(`${wrappers}/${name}`, 0o755);
  }
  writeFileSync(`${toolchain}/emscripten/.emscripten`, configuration);
  // Its scripts are CommonJS; without this file they would get the type of our own package.json above them.
  writeFileSync(`${toolchain}/emscripten/package.json`, '{ "type": "commonjs" }\n');
  // Its JavaScript optimizer imports acorn, which Debian has as a package of its own.
  cpSync(`${root}/node_modules/acorn`, `${toolchain}/emscripten/node_modules/acorn`, { recursive: true });
}

/** @type {import('./setup.mjs').Step} */
export const emscriptenStep = {
  name: 'Emscripten',
  satisfied: () =>
    existsSync(`${toolchain}/emscripten/emcc.py`) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === recipe,
  action: async (context) => {
    refuseLink(toolchain);
    mkdirSync(toolchain, { recursive: true });
    const there = emscriptenOnPath();
    if (there) {
      rmSync(`${toolchain}/emscripten`, { recursive: true, force: true });
      symlinkSync(there, `${toolchain}/emscripten`);
    } else if (debianRelease() === 12 && process.arch === 'x64') {
      await unpackFromDebian(context);
    } else {
      throw new SetupError(
        `emcc ${oldestVersion} or newer is not on PATH, and on ${systemName()} it is not fetched for you: ` +
          'install it (emscripten.org, "emsdk install"; Debian 13: apt-get install emscripten) and start again',
      );
    }
    writeFileSync(stamp, recipe);
  },
};
