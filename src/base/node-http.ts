/**
 * Node's HTTP server, not imported: `import … from 'node:http'` reads everything that this module exports, and what reads
 * its `WebSocket` loads Node's own copy of undici, which nothing here uses. That cost each start 45 ms of processor time.
 * Types may be imported from `node:http` as usual.
 */
const http = process.getBuiltinModule('node:http');

/** As in `node:http`. */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } = http;
