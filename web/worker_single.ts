// The worker in pages without shared memory.

import glue from './web-single-glue.js';
import { serve } from './web_worker.js';

serve('single', glue, new URL('./fuselane-single.wasm', import.meta.url));
