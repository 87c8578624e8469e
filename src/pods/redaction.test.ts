import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { attemptRequest, podConfig } from '#testing/pods.ts';
import { forCaller, forLog } from './redaction.ts';

const config = podConfig({ url: 'http://gpubox:8000/v1', apiKey: 'sk-canary-0123456789' });
const prompt = 'My diary says that\nthe canary sang at dawn.';
const { generation } = attemptRequest({ messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }] });

describe('a caller reads the words of a backend', () => {
  const cases: [name: string, said: string, read: string][] = [
    ['by the name of the listing', 'upstream-tide takes 80 tokens', 'tide takes 80 tokens'],
    ['without the key', 'key sk-canary-0123456789 is bad', 'key [redacted] is bad'],
    ['without a part of the key', 'key sk-canary-01*** is bad', 'key [redacted]*** is bad'],
    ['without URLs', 'see http://10.0.0.5:8000/v1/x?y=1, then', 'see [redacted] then'],
    ['without IPv4 addresses', 'at 10.0.0.5 or 10.0.0.5:8000.', 'at [redacted] or [redacted].'],
    ['without IPv6 addresses', 'at fe80::1 or [2001:db8::7]:8000', 'at [redacted] or [redacted]'],
    [
      'without names of machines',
      'worker gpu-1.cluster.local:80 of node.example.com',
      'worker [redacted] of [redacted]',
    ],
    ['without names that have a port', 'localhost:8000 and gpu-1:8000', '[redacted] and [redacted]'],
    ['without the name in the url of the pod', 'gpubox is full', '[redacted] is full'],
    [
      'with the fields and figures that it needs',
      "body.messages.0.content: 4096 tokens, std::max 3.5, role:'user', at 12:30, e.g. v1.2",
      "body.messages.0.content: 4096 tokens, std::max 3.5, role:'user', at 12:30, e.g. v1.2",
    ],
  ];
  for (const [name, said, read] of cases) test(name, () => assert.equal(forCaller(said, config, 'tide'), read));

  test('cut at 500 characters', () => {
    assert.equal(forCaller('tide '.repeat(200), config, 'tide').length, 500);
  });
});

describe('the log has the words of a backend', () => {
  test('without what was sent', () => {
    const said = 'cannot parse "that the canary sang at dawn." with Bearer sk-canary-0123456789 now';
    assert.equal(forLog(said, config, generation), 'cannot parse "[redacted]" with Bearer [redacted] now');
  });

  test('not at all when what was sent is not known any more', () => {
    assert.equal(forLog('cannot parse "the canary sang"', config, null), '[redacted]');
  });

  test('cut, before anything is searched for', () => {
    assert.ok(forLog('x'.repeat(5_000), config, generation).length <= 200);
  });
});
