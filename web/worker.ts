// The worker in pages with shared memory.

import glue from './web-glue.js';
import { serve } from './web_worker.js';

serve('threads', glue, new URL('./fuselane.wasm', import.meta.url));
