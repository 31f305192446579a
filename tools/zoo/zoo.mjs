// @ts-check
// Exports the models of the benchmark zoo as ONNX files into .cache/zoo/ (about 730 MB, ignored by git). Models that
// are there already are left alone. Needs a python3 with torch, torchvision and onnx.
//
//   npm run zoo                          all models (a few minutes)
//   npm run zoo -- resnet18 vit_tiny16   only these
//   npm run zoo -- --list                their names
//   npm run zoo -- --force               export again what is there
//   npm run zoo -- --install             first install the Python packages through apt-get (Debian, as root)

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const zoo = resolve(here, '../../.cache/zoo');
const exporter = join(here, 'export_models.py');
const install = [
  'apt-get',
  'install',
  '-y',
  '--no-install-recommends',
  'python3-torch',
  'python3-torchvision',
  'python3-onnx',
];

/** The first python3 that has what the exporter imports: Debian's own before the one on PATH. */
function findPython() {
  return ['/usr/bin/python3', 'python3'].find(
    (python) => spawnSync(python, ['-c', 'import torch, torchvision, onnx']).status === 0,
  );
}

/** @param {string[]} names models that are not in the zoo @param {string[]} known */
function complainAbout(names, known) {
  console.error(`not in the zoo: ${names.join(', ')}`);
  console.error(`the zoo holds: ${known.join(', ')}`);
  return 2;
}

/**
 * Exports into a folder beside the zoo and moves each finished file, so that an interrupted export leaves no half model.
 * @param {string} python
 * @param {string[]} names
 */
async function exportModels(python, names) {
  const unfinished = `${zoo}.part`;
  mkdirSync(zoo, { recursive: true });
  rmSync(unfinished, { recursive: true, force: true });
  for (const [i, name] of names.entries()) {
    process.stdout.write(`[${i + 1}/${names.length}] `);
    const child = spawn(python, [exporter, unfinished, name], { stdio: ['ignore', 'inherit', 'inherit'] });
    const status = await new Promise((done) => child.on('close', done));
    if (status !== 0) {
      console.error(`${exporter} could not export ${name}`);
      return 1;
    }
    renameSync(join(unfinished, `${name}.onnx`), join(zoo, `${name}.onnx`));
  }
  rmSync(unfinished, { recursive: true, force: true });
  return 0;
}

/** @param {string[]} args */
async function main(args) {
  const options = new Set(args.filter((arg) => arg.startsWith('--')));
  const wanted = args.filter((arg) => !arg.startsWith('--'));
  const unknown = [...options].filter((option) => !['--list', '--force', '--install'].includes(option));
  if (unknown.length) {
    console.error(`unknown option ${unknown[0]}; there are --list, --force and --install`);
    return 2;
  }
  if (options.has('--install')) spawnSync(install[0], install.slice(1), { stdio: 'inherit' });
  const python = findPython();
  if (python === undefined) {
    console.error(
      'The zoo is exported by a python3 with torch, torchvision and onnx, and none was found. On Debian:',
    );
    console.error(`  ${install.join(' ')}`);
    console.error('or, as root, npm run zoo -- --install');
    return 1;
  }
  const listed = spawnSync(python, [exporter, '--list'], { encoding: 'utf8' });
  const known = listed.stdout.trim().split('\n');
  if (options.has('--list')) {
    for (const name of known)
      console.log(`${name}${existsSync(join(zoo, `${name}.onnx`)) ? '  exported' : ''}`);
    return 0;
  }
  const strangers = wanted.filter((name) => !known.includes(name));
  if (strangers.length) return complainAbout(strangers, known);
  const missing = (wanted.length ? wanted : known).filter(
    (name) => options.has('--force') || !existsSync(join(zoo, `${name}.onnx`)),
  );
  const status = await exportModels(python, missing);
  if (status === 0) console.log(`the zoo is in ${zoo}`);
  return status;
}

process.exitCode = await main(process.argv.slice(2));
