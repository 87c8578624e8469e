/** The five minutes after which Node's own `fetch` gives up, made shorter: an add-on goes on waiting. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import OpenAI from '@sluice/openai';

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
const ANSWER = { id: 'chatcmpl-1', object: 'chat.completion', choices: [] };

describe('the timeout of headers', () => {
  it('does not end a call of an add-on', async () => {
    await fetch('data:,');
    const globals = globalThis as unknown as Record<symbol, { constructor: new (options: object) => never }>;
    const earlier = globals[DISPATCHER];
    assert.ok(earlier);
    globals[DISPATCHER] = new earlier.constructor({ headersTimeout: 300 });
    const waiting: ServerResponse[] = [];
    const server = createServer((_, response) => void waiting.push(response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const client = new OpenAI({ baseURL: url, apiKey: 'sk', maxRetries: 0 });
      const answer = client.chat.completions.create({ model: 'tide', messages: [] });
      await once(server, 'request');
      await assert.rejects(fetch(url), ({ cause }) => cause.code === 'UND_ERR_HEADERS_TIMEOUT');
      waiting[0]?.setHeader('content-type', 'application/json').end(JSON.stringify(ANSWER));
      assert.equal((await answer).id, 'chatcmpl-1');
      assert.equal(waiting.length, 2);
    } finally {
      globals[DISPATCHER] = earlier;
      server.closeAllConnections();
      server.close();
    }
  });
});
