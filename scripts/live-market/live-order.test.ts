import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraderOrder } from '#simulations/floor.ts';
import { bodyOf, rounded } from './live-order.ts';

const wish: TraderOrder = { account: 'account 1', limit: 1_250_000_000, lock: false, runsMs: 1009, patienceMs: 42_001 };

test('an order runs for whole tokens and waits for whole seconds, at least ten', () => {
  const times = (order: TraderOrder) => [rounded(order).runsMs, rounded(order).patienceMs];
  assert.deepEqual(times(wish), [1000, 43_000]);
  assert.deepEqual(times({ ...wish, runsMs: 3, patienceMs: 3 }), [20, 10_000]);
});

test('a request asks for as many tokens as the order runs', () => {
  assert.deepEqual(bodyOf(wish, '7', false), {
    model: 'tide',
    messages: [{ role: 'user', content: 'Order 7' }],
    max_tokens: 50,
    price_limit: 1.25,
    price_lock: false,
    max_wait: 43,
    detached: false,
    x_simulate: { first_token_ms: 0, output_tokens: 50, token_ms: 20 },
  });
});
