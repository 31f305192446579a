// Runs a command quietly for a step of the set-up: its output goes to a log file, the terminal shows the time
// that has passed and the latest line, and a failure shows the end of the log. Uses Node's built-ins only.

import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';

const quietReportSeconds = 15; // without a terminal a long step says that it lives this often
const tailLines = 25;

/** A failure whose message is for the person at the terminal; no stack is printed for it. */
export class SetupError extends Error {}

/** @param {number} milliseconds */
export function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** Shows one running step: on a terminal in a line that is rewritten, elsewhere in lines now and then. */
export class Progress {
  /** @param {string} title */
  constructor(title) {
    this.title = title;
    this.start = Date.now();
    this.latest = '';
    this.part = ''; // names what works now, where a step has several parts
    this.live = process.stdout.isTTY === true && !process.env.CI;
    if (!this.live) console.log(`${title} …`);
    this.timer = setInterval(() => this.#draw(), this.live ? 200 : quietReportSeconds * 1000);
  }

  /** @param {string} line */
  update(line) {
    this.latest = line;
  }

  /** @param {string} outcome */
  end(outcome) {
    clearInterval(this.timer);
    if (this.live) process.stdout.write('\r\x1b[K');
    console.log(`${this.title}: ${outcome} (${seconds(Date.now() - this.start)})`);
  }

  #draw() {
    const line = `${this.title}: ${seconds(Date.now() - this.start)}  ${this.part} ${this.latest}`;
    if (!this.live) return console.log(line);
    process.stdout.write(`\r\x1b[K${line.slice(0, Math.max(20, (process.stdout.columns ?? 80) - 1))}`);
  }
}

/**
 * Does some work under a line of progress, which ends with how it went.
 * @param {string} title
 * @param {(progress: Progress) => Promise<void>} work
 */
export async function showProgress(title, work) {
  const progress = new Progress(title);
  try {
    await work(progress);
  } catch (error) {
    progress.end('failed');
    throw error;
  }
  progress.end('done');
}

/**
 * Kills the group of a process when its time is over, and when this program is told to end meanwhile.
 * @param {import('node:child_process').ChildProcess} child detached
 * @param {number} limit in milliseconds
 * @returns {() => void} to be called when the process has ended
 */
function killLater(child, limit) {
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(kill, limit);
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    kill();
    free();
    process.kill(process.pid, signal);
  };
  const free = () => {
    clearTimeout(timer);
    for (const signal of signals) process.off(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  return free;
}

/**
 * Runs a command without a shell and resolves when it has ended with code 0; anything else is a SetupError with
 * the end of the log.
 * @param {string} command
 * @param {string[]} args
 * @param {{ log: string, progress?: Progress, cwd?: string, env?: NodeJS.ProcessEnv, append?: boolean, limit?: number }}
 *   options limit: milliseconds after which the command is killed, with all that it has started
 * @returns {Promise<void>}
 */
export function run(command, args, { log, progress, cwd, env, append, limit }) {
  mkdirSync(dirname(log), { recursive: true });
  const file = createWriteStream(log, { flags: append ? 'a' : 'w' });
  file.write(`$ ${[command, ...args].join(' ')}\n`);
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: limit !== undefined, // a group of processes of its own, which can be killed as one
    });
    const free = limit === undefined ? () => {} : killLater(child, limit);
    const take = (/** @type {Buffer} */ chunk) => {
      file.write(chunk);
      const line = chunk
        .toString()
        .split(/[\r\n]+/)
        .filter((text) => text.trim() !== '')
        .at(-1);
      if (line) progress?.update(line.trim());
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    const fail = (/** @type {string} */ reason) => {
      file.end(() => {
        const tail = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-tailLines).join('\n');
        reject(
          new SetupError(`${tail}\n\n${command} ${reason}; the whole log is ${relative(process.cwd(), log)}`),
        );
      });
    };
    child.on('error', (error) => {
      free();
      fail(`could not be started (${error.message})`);
    });
    child.on('close', (code, signal) => {
      free();
      if (code !== 0) fail(signal ? `was ended by ${signal}` : `failed with code ${code}`);
      else file.end(() => resolve());
    });
  });
}
