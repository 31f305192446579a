// @ts-check
// One thread of the roofline in a page: takes a kind and answers that loop's best rate.

import { bestRate } from '../../../dist/cli/roofline/rate.js';

addEventListener('message', ({ data }) => postMessage(bestRate(data)));
