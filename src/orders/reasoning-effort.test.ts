/** A reasoning effort that only some models know: what the pod gets, now and after a restart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benchListing, OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';

const BODY = { messages: [{ role: 'user', content: 'Hi' }] };

function asking(reasoningEffort?: string) {
  const request = testRequest({ detached: true });
  const asked = reasoningEffort === undefined ? {} : { reasoningEffort };
  return { ...request, generation: { ...request.generation, body: BODY, ...asked } };
}

for (const [what, effort, expected] of [
  ['an effort that the listing names joins the body', 'high', { ...BODY, reasoning_effort: 'high' }],
  ['an effort that it does not name is dropped', 'max', BODY],
  ['no effort adds nothing', undefined, BODY],
] as const)
  test(`${what}, for the pod and for what is kept of the request`, async () => {
    const bench = new OrderServiceBench({ listings: [{ ...benchListing(), reasoningEfforts: ['low', 'high'] }] });
    await bench.running(asking(effort));
    assert.deepEqual(bench.pods.last.request.generation.body, expected);
    const [accepted] = bench.journal.units;
    assert.ok(accepted?.kind === 'accept');
    assert.deepEqual(JSON.parse(accepted.body ?? ''), expected);
  });
