/**
 * undici's pool of connections, without the rest of undici: its entry loads fetch, WebSockets, caches and mocks too,
 * which is 90 modules, 40 ms of processor time and 5 MB at every start. The path is not part of undici's interface; its
 * version is pinned, and no gateway with another one passes its tests if the path has moved.
 */
import { createRequire } from 'node:module';
import type { Pool as PoolOfUndici } from 'undici';

export const Pool: typeof PoolOfUndici = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js');
