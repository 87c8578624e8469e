import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chat } from './support/chat.ts';
import { operatorBrowser } from './support/operator-browser.ts';
import { useServer } from './support/server.ts';
import { eventually } from './support/waiting.ts';

const POD = { params: { id: 'tide-1' } };

describe('POST /console/api/pods/{id}/…', () => {
  const server = useServer({ trust_proxy: 1 });
  const order = () => server.api.call('createChatCompletion', { body: chat({ model: 'tide' }) });
  const logged = async (what: string) =>
    server.operator.database.knex('audit_log').where({ what, subject: 'tide-1' }).orderBy('id');

  it('200 a drained pod ends what runs there, takes nothing new and loses no order; resumed it takes what waits', async () => {
    const browser = await operatorBrowser(server);
    const release = server.holdAnswers();
    const running = order();
    await server.orders({ executing: 1 });
    const drained = (await browser.call('drainPod', POD)).body(200);
    assert.deepEqual([drained.pod, drained.draining, drained.healthy], ['tide-1', true, true]);
    assert.deepEqual(drained.slots, { configured: 8, allowed: 0, busy: 1, auto: null });
    (await browser.call('drainPod', POD)).body(200);

    const waiting = order();
    await server.orders({ queued: 1, executing: 1 });
    release();
    (await running).body(200);
    await server.orders({ queued: 1, executing: 0 });
    const { data } = (await browser.call('listPods')).body(200);
    assert.deepEqual(
      data.map(({ pod, draining, slots }) => [pod, draining, slots.busy]),
      [
        ['tide-1', true, 0],
        ['harbor-1', false, 0],
      ],
    );

    assert.equal((await browser.call('resumePod', POD)).body(200).draining, false);
    (await waiting).body(200);
    const [drain, ...others] = await logged('pod.drain');
    assert.deepEqual(others, []);
    assert.match(drain.who, /^operator-\d+@example\.com$/);
    assert.equal(drain.account_id, null);
    assert.deepEqual(JSON.parse(drain.before_json), { draining: false, slots: null });
    assert.deepEqual(JSON.parse(drain.after_json), { draining: true, slots: null });
    assert.equal((await logged('pod.resume')).length, 1);
  });

  it('200 with fewer slots than orders run nothing is cut off, and no more start before there is room', async () => {
    const browser = await operatorBrowser(server);
    const setSlots = async (slots: number | null) =>
      (await browser.call('setPodSlots', { ...POD, body: { slots } })).body(200).slots;
    const release = server.holdAnswers();
    const orders = [order(), order(), order()];
    await server.orders({ executing: 3 });
    assert.deepEqual(await setSlots(2), { configured: 2, allowed: 2, busy: 3, auto: null });
    orders.push(order());
    await server.orders({ queued: 1, executing: 3 });
    assert.equal((await setSlots(4)).configured, 4);
    await server.orders({ queued: 0, executing: 4 });
    release();
    for (const reply of await Promise.all(orders)) reply.body(200);
    assert.deepEqual(await setSlots(null), { configured: 8, allowed: 8, busy: 0, auto: null });
    assert.deepEqual(
      (await logged('pod.slots')).map((row) => JSON.parse(row.after_json).slots),
      [2, 4, null],
    );
  });

  it('400 for slots that are no whole number above 0, and for other fields; nothing changes', async () => {
    const browser = await operatorBrowser(server);
    for (const slots of [0, -1, 1.5, '2', 100_001, undefined, true])
      assert.equal(
        (await browser.call('setPodSlots', { ...POD, body: { slots } })).refusal(400, 'invalid_request').param,
        'slots',
      );
    (await browser.call('setPodSlots', { ...POD, body: { slots: 2, draining: true } })).refusal(400, 'invalid_request');
    const { data } = (await browser.call('listPods')).body(200);
    assert.equal(data[0]?.slots.configured, 8);
  });

  it('404 for a pod that there is not, 413 for an oversized form', async () => {
    const browser = await operatorBrowser(server);
    for (const id of ['tide-2', 'tide', 'x'.repeat(2_000), '%00', "' OR '1'='1"]) {
      for (const operation of ['drainPod', 'resumePod'] as const)
        (await browser.call(operation, { params: { id } })).refusal(404, 'not_found');
      (await browser.call('setPodSlots', { params: { id }, body: { slots: 2 } })).refusal(404, 'not_found');
    }
    const body = { slots: 2, more: 'x'.repeat(65_536) };
    (await browser.call('setPodSlots', { ...POD, body })).refusal(413, 'request_too_large');
  });

  it('after a restart the file decides', async () => {
    const browser = await operatorBrowser(server);
    (await browser.call('drainPod', POD)).body(200);
    await server.restart();
    const again = await operatorBrowser(server);
    await eventually(async () => {
      const { data } = (await again.call('listPods')).body(200);
      return data[0]?.draining === false && data[0].slots.allowed === 8;
    }, 'a pod that takes orders');
  });
});
