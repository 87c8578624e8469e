import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonOf, JsonReply, RawReply } from '#contract/reply.ts';
import { responseBodies } from '#generated/response-validators.js';
import { testCall } from '#testing/calls.ts';
import { systemHandlers } from './system.ts';

const healthy: JsonOf<'getHealth'> = {
  ok: true,
  db: true,
  market_loop: true,
  role: 'leader',
  level: 0.27,
  queued: 1,
  inflight: 2,
  backend_healthy: true,
  pods: 3,
  healthy_pods: 3,
  disk_low: false,
  clock_ahead_ms: -3,
};
const call = testCall<'getHealth' | 'getHello' | 'headHello' | 'redirectLimits' | 'getOpenapi'>('getHealth');

const handlersWith = (health: JsonOf<'getHealth'>) =>
  systemHandlers({ health: async () => health, version: '1.2.3', document: '{"openapi":"3.0.3"}' });

test('health is 200 while the database and the markets run', async () => {
  const reply = (await handlersWith(healthy).getHealth(call)) as JsonReply;
  assert.equal(reply.status, 200);
  assert.ok(responseBodies['getHealth 200'](reply.json));
});

test('health is 503 with the same body otherwise, whatever the state of the pods', async () => {
  const down = (await handlersWith({ ...healthy, ok: false, db: false, level: null }).getHealth(call)) as JsonReply;
  assert.equal(down.status, 503);
  assert.ok(responseBodies['getHealth 503'](down.json));
  const noPods = (await handlersWith({ ...healthy, backend_healthy: false, healthy_pods: 0 }).getHealth(
    call,
  )) as JsonReply;
  assert.equal(noPods.status, 200);
});

test('hello names the gateway, with and without a body', async () => {
  const { getHello, headHello } = handlersWith(healthy);
  assert.deepEqual(await getHello(call), { status: 200, json: { service: 'sluice', version: '1.2.3' } });
  assert.deepEqual(await headHello(call), { status: 200 });
});

test('the old address of the limits redirects to the new one', async () => {
  assert.deepEqual(await handlersWith(healthy).redirectLimits(call), {
    status: 308,
    headers: { location: '/v1/rate-limits' },
  });
});

test('the document is served as it was generated', async () => {
  const reply = (await handlersWith(healthy).getOpenapi(call)) as RawReply;
  assert.equal(reply.headers['content-type'], 'application/json');
  assert.equal(reply.raw.toString(), '{"openapi":"3.0.3"}');
});
