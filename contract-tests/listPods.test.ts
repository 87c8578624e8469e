import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

describe('GET /console/api/pods', () => {
  const server = useServer({ trust_proxy: 1 });

  it('200 each pod with its health, its slots, what runs there and what it did', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const model = 'tide';
    const podOf = async () => {
      const { data } = (await browser.call('listPods')).body(200);
      const pod = data.find((each) => each.model === model);
      assert.ok(pod);
      return pod;
    };
    const before = await podOf();
    assert.match(before.address ?? '', /^http:\/\/127\.0\.0\.1:\d+/);
    assert.deepEqual([before.healthy, before.reason], [true, 'its ping passed']);
    assert.ok(Date.parse(before.since ?? '') <= server.clock.nowMs());
    (await server.api.call('createChatCompletion', { body: chat({ model }) })).body(200);
    const release = server.holdAnswers();
    const order = server.api.call('createChatCompletion', { body: chat({ model }) });
    await server.orders({ executing: 1 });
    const during = await podOf();
    assert.equal(during.attempts.answered, before.attempts.answered + 1);
    assert.deepEqual(during.slots, { ...before.slots, busy: 1 });
    release();
    (await order).body(200);
    assert.equal((await podOf()).slots.busy, 0);
  });
});
