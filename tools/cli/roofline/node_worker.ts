// A thread of the roofline in Node: its work is a kind, its answer that loop's best rate.

import { parentPort, workerData } from 'node:worker_threads';
import { bestRate, type Roofline } from './rate.js';

parentPort?.postMessage(bestRate(workerData as keyof Roofline));
