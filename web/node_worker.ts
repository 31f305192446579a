// The worker in Node.

import { parentPort } from 'node:worker_threads';
import { Host } from './host.js';
import type { ToHost } from './messages.js';
import { nodeParts } from './node_host.js';

if (!parentPort) throw new Error('node_worker.js runs as a worker of the engine, not by itself');
const port = parentPort;
const host = new Host(nodeParts, (message, transfer) => port.postMessage(message, transfer));
port.on('message', (message: ToHost) => host.receive(message));
