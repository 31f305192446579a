// @ts-check
// A service worker that holds an engine.

import { load } from '../../dist/service_worker.js';
import { answerWith } from './host_answer.mjs';

answerWith(load);
