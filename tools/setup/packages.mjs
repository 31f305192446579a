// Step: the system's packages. On Debian 12 and 13 they are installed by apt when we are root or may use
// sudo; otherwise the exact command is printed. On other systems each missing program is named with what to
// do about it.

import { existsSync } from 'node:fs';
import { atLeast, chromium, debianRelease, output, root, systemName } from './machine.mjs';
import { run, SetupError } from './terminal.mjs';

const packages = [
  'clang-19', // native compiler, and the one Emscripten 3.1.69 drives
  'lld-19',
  'llvm-19',
  'libc++-19-dev',
  'libc++abi-19-dev',
  'libclang-rt-19-dev', // sanitizers
  'clang-format-19',
  'cmake',
  'ninja-build',
  'python3', // Emscripten is written in it
  'googletest',
  'libsimde-dev', // wasm SIMD intrinsics in native builds
  'wabt', // reads and validates emitted modules in tests
  'git', // lists the files whose format is checked
  'chromium',
  'fonts-dejavu-core', // the browser test draws its text with these
  'fonts-liberation',
];

/** Emscripten is a package from Debian 13 on; Debian 12's is too old, and emscripten.mjs unpacks the newer one. */
function debianPackages() {
  return debianRelease() >= 13 ? [...packages, 'emscripten'] : packages;
}

function missingPackages() {
  const wanted = debianPackages();
  const lines = output('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Status}\n']) ?? '';
  const installed = new Set(
    lines
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return wanted.filter((name) => !installed.has(name));
}

/** @param {import('./setup.mjs').Context} context */
async function installPackages({ log, progress }) {
  const missing = missingPackages();
  const superuser = process.getuid?.() === 0 ? [] : process.stdin.isTTY ? ['sudo'] : ['sudo', '-n'];
  if (superuser.length > 0 && output('sudo', [...superuser.slice(1), 'true']) === undefined) {
    throw new SetupError(
      `These Debian packages are missing, and installing them needs root. Run this as root, then start again:\n\n` +
        `  apt-get update && apt-get install --no-install-recommends ${missing.join(' ')}\n`,
    );
  }
  const apt = (/** @type {string[]} */ ...args) => {
    const line = [
      ...superuser,
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      '-o',
      'DPkg::Lock::Timeout=120',
      ...args,
    ];
    return run(line[0], line.slice(1), { log, progress, append: true });
  };
  await apt('update');
  await apt('install', '--yes', '--no-install-recommends', ...missing);
}

/** What must be there on a system that is not Debian, each with what to do. */
function missingPrograms() {
  const version = (/** @type {string} */ program) =>
    /\d+\.\d+(\.\d+)?/.exec(output(program, ['--version']) ?? '')?.[0] ?? '0';
  const wanted = [
    [
      atLeast(version('clang++-19'), '19'),
      'clang++-19 with libc++ and compiler-rt: LLVM 19 from your system or llvm.org',
    ],
    [output('clang-format-19', ['--version']) !== undefined, 'clang-format-19: part of LLVM 19'],
    [atLeast(version('cmake'), '3.25'), 'cmake 3.25 or newer'],
    [output('ninja', ['--version']) !== undefined, 'ninja'],
    [output('python3', ['--version']) !== undefined, 'python3'],
    [existsSync('/usr/src/googletest'), "GoogleTest's source in /usr/src/googletest"],
    [output('wasm-validate', ['--version']) !== undefined, 'wasm-validate and wat2wasm: wabt'],
    [existsSync('/usr/include/simde'), 'SIMDe, a header library, in /usr/include/simde'],
    [chromium() !== undefined, 'Chromium or Chrome: install one, or name its program in FUSELANE_CHROMIUM'],
    [
      atLeast(version('emcc'), '3.1.69') || existsSync(`${root}/.toolchain/emscripten`),
      'emcc 3.1.69 or newer on PATH: emscripten.org, "emsdk install"',
    ],
  ];
  return wanted.filter(([there]) => !there).map(([, what]) => what);
}

/** @type {import('./setup.mjs').Step} */
export const packagesStep = {
  name: 'System packages',
  satisfied: () => (debianRelease() >= 12 ? missingPackages() : missingPrograms()).length === 0,
  action: async (context) => {
    if (debianRelease() >= 12) return installPackages(context);
    throw new SetupError(
      `This is ${systemName()}; only Debian 12 and 13 are set up without help. Missing here:\n` +
        missingPrograms()
          .map((what) => `  - ${what}\n`)
          .join(''),
    );
  },
};
