import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '#base/random.ts';
import { chat } from './support/chat.ts';
import { useServer } from './support/server.ts';

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  '\u0000',
  "'; DROP TABLE orders; --",
  '\ud83d',
  [],
  [null],
  {},
  { a: { b: [1] } },
  { __proto__: null, constructor: 1 },
];
const FIELDS = [
  ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p'],
  ...[
    'stop',
    'n',
    'best_of',
    'tools',
    'tool_choice',
    'response_format',
    'seed',
    'user',
    'safety_identifier',
    'metadata',
  ],
  ...['prompt_cache_key', 'logprobs', 'top_logprobs', 'price_limit', 'price_lock', 'max_wait', 'expires_after'],
  ...['detached', 'store', 'retention_days', 'anything_else'],
];

describe('POST /v1/chat/completions with odd values', () => {
  const server = useServer();

  it('400 or 200 for every field with every odd value, and never an internal error', async () => {
    for (const field of FIELDS) {
      const replies = await Promise.all(
        VALUES.map((value) => server.api.call('createChatCompletion', { body: chat({ [field]: value }) })),
      );
      for (const [index, { status, text }] of replies.entries()) {
        assert.ok(
          [200, 202, 400, 404].includes(status),
          `${field} ${JSON.stringify(VALUES[index])}: ${status} ${text}`,
        );
      }
    }
  });

  it('400 or 404 for bodies with bytes changed at random, and the gateway keeps running', async () => {
    const random = seededRandom(7);
    const good = Buffer.from(JSON.stringify(chat({ model: 'nobody', stop: ['a'], metadata: { b: 'c' } })));
    for (let round = 0; round < 200; round++) {
      const bytes = Buffer.from(good);
      for (let change = 0; change <= round % 4; change++) {
        bytes[Math.floor(random.next() * bytes.length)] = Math.floor(random.next() * 256);
      }
      const { status, text } = await server.api.call('createChatCompletion', { raw: bytes });
      assert.ok(status === 400 || status === 404 || status === 200, `round ${round}: ${status} ${text}`);
    }
    assert.equal((await server.api.call('getHealth')).status, 200);
  });
});
