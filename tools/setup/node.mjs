// Step: the Node that runs this is new enough. It cannot be repaired from here, so the action only says what
// to do.

import { atLeast } from './machine.mjs';
import { SetupError } from './terminal.mjs';

const oldestNode = '20.19'; // the first Node 20 that lets CommonJS programs require the package, which is ESM only

/** @type {import('./setup.mjs').Step} */
export const nodeStep = {
  name: 'Node',
  satisfied: () => atLeast(process.versions.node, oldestNode),
  action: async () => {
    throw new SetupError(
      `Node ${process.versions.node} is too old: Fuselane is built and tested with Node ${oldestNode} or newer. ` +
        'README.md, "Requirements", says where it comes from.',
    );
  },
};
