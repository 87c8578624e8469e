/** Dry runs over HTTP: how they are asked for, and what they answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMPUTED_MAX } from '#market/estimates/estimates.ts';
import type { MarketOdds } from '#market/estimates/odds.ts';
import type { DryRun } from '#orders/dry-run.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { OrderServiceBench, testRequest } from '#testing/order-service-bench.ts';
import { dryRunHandler, isDryRun } from './dry-run.ts';

test('only true asks for a dry run, and anything but true and false is refused', () => {
  assert.deepEqual(
    [isDryRun({}), isDryRun({ 'x-dry-run': 'false' }), isDryRun({ 'x-dry-run': 'true' })],
    [false, false, true],
  );
  for (const sent of ['', '1', 'TRUE', 'yes', ' true', ['true', 'true']])
    assert.throws(() => isDryRun({ 'x-dry-run': sent as string }), { code: 'invalid_request', param: 'x-dry-run' });
});

const TOLD: DryRun = {
  row: {
    ...{ model: 'tide', bid: 2e9, limit: 3e9, priceLock: true, maxCharge: 7n, promptEstimate: 50, promptBound: 100 },
  },
  ...{ level: 1e9, outputCap: 20, hold: 5n, inputCharge: 1n, expectedCharge: 4n, greatestCharge: 7n },
  ...{ waitS: 100_000, repeats: null },
};

const odds: MarketOdds = {
  ...{ atMs: 0, slots: 4, free: 0, reserve: 0, runMs: 1000, burstiness: 1 },
  ...{ corrections: [], reliability: [] },
  points: Array.from({ length: 300 }, (_, at) => ({
    ...{ price: at * 1e7, ahead: 300 - at, outbid: 0, outbidUsually: 0, givingUp: 0 },
  })),
};

/** Answers dry runs of a market with these odds. */
function handler(found: MarketOdds | null, told: DryRun = TOLD) {
  const customer = new OrderServiceBench().customer;
  const answer = dryRunHandler({
    dryRuns: { of: async () => told },
    odds: { odds: async () => found },
    clock: new ManualClock(),
  });
  return async () => (await answer(customer, testRequest())).json as Record<string, unknown>;
}

test('the answer has amounts in dollars, and chance and waits of the estimate', async () => {
  const { chance, wait_p50_seconds, wait_p90_seconds, ...rest } = await handler(odds)();
  assert.deepEqual(JSON.parse(JSON.stringify(rest)), {
    ...{ object: 'dry_run', model: 'tide', input_tokens: 50, input_tokens_max: 100, output_tokens_max: 20 },
    ...{ price_limit: 3, price_lock: true, bid: 2, level: 1, max_charge_usd: 7e-9, hold_usd: 5e-9 },
    ...{ input_charge_usd: 1e-9, expected_charge_usd: 4e-9, greatest_charge_usd: 7e-9 },
    ...{ within_seconds: 86_400, repeats_order: null },
  });
  assert.equal(chance, 1);
  assert.ok(Number(wait_p50_seconds) <= Number(wait_p90_seconds));
});

for (const [why, found, told] of [
  ['on fixed prices', odds, { ...TOLD, level: null }],
  ['where it is not known', null, TOLD],
  ['for a repeat', odds, { ...TOLD, repeats: 'o' }],
] as const) {
  test(`there is no chance ${why}`, async () => {
    const { chance, wait_p50_seconds } = await handler(found, told)();
    assert.deepEqual([chance, wait_p50_seconds], [null, null]);
  });
}

test('when too many ask in a second the others get no chance, and no refusal', async () => {
  let bid = 0;
  const told = { ...TOLD, row: { ...TOLD.row } };
  const ask = handler(odds, told);
  const chances: unknown[] = [];
  for (let asked = 0; asked <= COMPUTED_MAX / 2; asked++) {
    Object.assign(told.row, { bid: bid++ * 1e7 });
    chances.push((await ask()).chance);
  }
  assert.deepEqual([chances.slice(0, -1).includes(null), chances.at(-1)], [false, null]);
});
