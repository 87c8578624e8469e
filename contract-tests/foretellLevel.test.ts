import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';

describe('GET /console/api/book/what-if', () => {
  const server = useServer({ trust_proxy: 1 });

  it('200 nothing while nobody knows how long orders run, then the level with and without more slots', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const ask = async (slots: number, model = 'tide') =>
      (await browser.call('foretellLevel', { query: { model, slots: String(slots) } })).body(200);
    const before = await ask(100);
    const { slots } = before;
    assert.ok(slots !== null && slots > 0);
    assert.deepEqual(
      [before.unknown, before.as_it_is, before.changed, before.points, before.minutes],
      ['too_few_orders', null, null, [], null],
    );
    const { key } = await server.createAccount();
    const api = server.api.as(key);
    const place = () => api.call('createChatCompletion', { body: chat({ price_limit: 5 }) });
    for (let round = 0; round < 6; round++) {
      const release = server.holdAnswers();
      const running = Array.from({ length: slots }, place);
      await server.orders({ executing: slots }, api);
      await server.pass(4_000);
      release();
      for (const order of running) (await order).body(200);
    }
    const after = await ask(2 * slots);
    assert.equal(after.unknown, null);
    assert.equal(after.other_slots, 2 * slots);
    assert.ok(after.assumed && after.assumed.run_ms > 0 && after.assumed.arrivals_per_minute > 0);
    assert.ok(after.as_it_is && after.changed && after.changed.level <= after.as_it_is.level);
    assert.equal(after.points.length, 30);
    assert.ok(after.minutes !== null && after.minutes > 0 && after.minutes <= 10);
    const same = await ask(slots);
    assert.deepEqual(same.changed, same.as_it_is);
    assert.equal((await ask(0)).unknown, null);
  });

  it('200 nothing of a preview; 400 for a fixed price, an unknown model, and slots that are none', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const refused = async (query: Record<string, string>, code: string, param: string) =>
      assert.equal((await browser.call('foretellLevel', { query })).refusal(400, code).param, param);
    await refused({ model: 'harbor', slots: '4' }, 'fixed_price_model', 'model');
    await refused({ model: 'nothing', slots: '4' }, 'unknown_model', 'model');
    for (const slots of ['', '-1', '1.5', '100001', '9999999', 'many', '4 or 1'])
      await refused({ model: 'tide', slots }, 'invalid_request', 'slots');
    const preview = (await browser.call('foretellLevel', { query: { model: 'surge', slots: '4' } })).body(200);
    assert.deepEqual([preview.unknown, preview.level, preview.slots], ['elsewhere', null, null]);
  });

  it('429 when too many ask at once', async () => {
    const browser = await operatorBrowser(server, 'viewer');
    const asked = await Promise.all(
      Array.from({ length: 40 }, () => browser.call('foretellLevel', { query: { model: 'tide', slots: '4' } })),
    );
    const refused = asked.filter(({ status }) => status !== 200);
    for (const reply of refused) reply.refusal(429, 'rate_limit_error');
    assert.ok(refused.length > 0 && refused.length < asked.length);
    assert.ok(Number(refused[0]?.headers['retry-after']) > 0);
  });
});
