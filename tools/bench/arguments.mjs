// @ts-check
// What the command line asks for. Every mistake in it is a SetupError that names what was expected.

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SetupError } from '../setup/terminal.mjs';
import { engineNames } from './engines.mjs';
import { allModels, isThere, standardModels } from './models.mjs';

/** @typedef {import('./models.mjs').Model} Model */
/** @typedef {{ label: string, name: string, options: Record<string, unknown> }} EngineChoice */
/**
 * @typedef {{ engines: EngineChoice[], models: Model[], missing: string[], threads: number, rounds: number,
 *   milliseconds: number, json?: string }} Request
 */

/** @typedef {{ command: string, rounds: string }} Bench the npm script, and how many rounds it has when not told */

/** Times of runs. @type {Bench} */
export const kRuns = { command: 'bench', rounds: '7' };
/** Times to the first output of a page that has just been opened. @type {Bench} */
export const kLoads = { command: 'bench:load', rounds: '10' };

/** @param {Bench} bench */
export const usage = ({
  command,
  rounds,
}) => `npm run ${command} -- [--engines A,B,…] [--models NAME,…] [--threads N] [--rounds N] [--json FILE]

  --engines   ${engineNames.join(', ')} (all when left out); the others are compared with the first.
              fuselane:NAME=VALUE+NAME=VALUE gives options to its load(), and knobs as knobs.NAME=VALUE
  --models    names as in docs/benchmarks.md; all that are there when left out
  --threads   1 when left out
  --rounds    rounds of each engine, ${rounds} when left out
  --round-ms  least duration of a round of runs, 250 when left out
  --json      also writes everything that was measured to a file`;

const options = /** @type {const} */ ({
  engines: { type: 'string', default: engineNames.join(',') },
  models: { type: 'string' },
  threads: { type: 'string', default: '1' },
  rounds: { type: 'string' },
  'round-ms': { type: 'string', default: '250' },
  json: { type: 'string' },
});

/** @param {string[]} args @param {Bench} bench @returns {Request} */
export function request(args, bench = kRuns) {
  const values = parsed(args, bench);
  const missing = standardModels.filter((model) => !isThere(model)).map(({ name }) => name);
  return {
    engines: listed(values.engines).map(engineChoice),
    models:
      values.models === undefined ? standardModels.filter(isThere) : listed(values.models).map(modelNamed),
    missing: values.models === undefined ? missing : [],
    threads: count('--threads', values.threads, availableParallelism()),
    rounds: count('--rounds', values.rounds ?? bench.rounds, 1000),
    milliseconds: count('--round-ms', values['round-ms'], 60_000),
    json: values.json,
  };
}

/** @param {string[]} args @param {Bench} bench */
function parsed(args, bench) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new SetupError(`${/** @type {Error} */ (error).message}\n\n${usage(bench)}`);
  }
}

/** @param {string} text */
const listed = (text) => [...new Set(text.split(',').filter((part) => part !== ''))];

/** @param {string} option @param {string} text @param {number} most */
function count(option, text, most) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new SetupError(`${option} must be a whole number from 1 to ${most}, not "${text}"`);
  return value;
}

const kKnob = 'knobs.';

/** @param {string} label */
function engineChoice(label) {
  const [name, given = ''] = label.split(':');
  if (!engineNames.includes(name))
    throw new SetupError(`there is no engine "${name}"; the engines are ${engineNames.join(', ')}`);
  if (given !== '' && name !== 'fuselane') throw new SetupError(`${name} takes no options: "${label}"`);
  const pairs = given.split('+').filter((pair) => pair !== '');
  const all = pairs.map((pair) => optionOf(label, pair));
  const knobs = all.filter(([option]) => option.startsWith(kKnob));
  const options = Object.fromEntries(all.filter(([option]) => !option.startsWith(kKnob)));
  if (knobs.length > 0)
    options.knobs = Object.fromEntries(knobs.map(([knob, value]) => [knob.slice(kKnob.length), value]));
  return { label, name, options };
}

/** @param {string} label @param {string} pair @returns {[string, unknown]} */
function optionOf(label, pair) {
  const [name, text] = pair.split('=');
  if (!name || text === undefined)
    throw new SetupError(`"${pair}" in "${label}" must be an option and its value, such as worker=false`);
  if (text === 'true' || text === 'false') return [name, text === 'true'];
  return [name, text === '' || Number.isNaN(Number(text)) ? text : Number(text)];
}

/** @param {string} name */
function modelNamed(name) {
  const model = allModels.find((candidate) => candidate.name === name);
  if (!model) {
    const names = standardModels.map((candidate) => candidate.name).join(', ');
    throw new SetupError(`there is no model "${name}"; the models are ${names}`);
  }
  if (!isThere(model))
    throw new SetupError(
      `${name} is not there: ${model.fromZoo ? `npm run zoo -- ${name}` : 'npm run setup'} brings it`,
    );
  return model;
}
