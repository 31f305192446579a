// @ts-check
// A worker of any kind that loads and runs a model when it is asked to, and answers to the port it was given.

import { load } from '../../dist/index.js';
import { answerWith } from './host_answer.mjs';

answerWith(load);
