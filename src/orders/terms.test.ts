import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { tariffOf, worstCaseOf } from '#ledger/tariff.ts';
import { benchListing } from '#testing/order-service-bench.ts';
import { waitMsOf } from './expiry-timer.ts';
import type { Customer, Extensions, InferenceRequest, JsonObject } from './request.ts';
import { capOf, checkContext, overfullContext, passesCapOn, priceOf, retentionDaysOf } from './terms.ts';

const listing = benchListing();
const fixed = benchListing({ type: 'fixed', tariff: tariffOf('fixed', { cached: '0.1', uncached: '1', output: '5' }) });
const customer: Customer = {
  accountId: 'a',
  keyId: 'k',
  readsOwn: false,
  limitFor: () => null,
  priceLock: false,
  orderTimeoutS: 600,
  retentionDays: 30,
  logPayloads: false,
  house: false,
};
const extensions: Extensions = {
  limit: 5e9,
  maxChargeNano: null,
  priceLock: null,
  maxWaitS: null,
  detached: false,
  store: null,
  retentionDays: null,
};
const bounds = { minS: 10, maxS: 2_592_000, lockWindowS: 10 };

function request(change: Partial<Extensions> = {}, other: Partial<InferenceRequest> = {}): InferenceRequest {
  return {
    kind: 'chat',
    model: null,
    stream: false,
    outputCap: null,
    generation: { body: {}, promptBound: 100, promptEstimate: 50 },
    extensions: { ...extensions, ...change },
    askedBy: null,
    idempotency: null,
    ...other,
  };
}

const quoted = (price: number) => () => ({ price, quoteSeq: 4 });

test('the bid is the limit of the request, else the default; without either the refusal names the field', () => {
  assert.equal(priceOf(request(), customer, listing, quoted(1e9)).bid, 5e9);
  const withDefault = { ...customer, limitFor: () => 3e9 };
  assert.equal(priceOf(request({ limit: null }), withDefault, listing, quoted(1e9)).bid, 3e9);
  assert.equal(priceOf(request({ limit: 0 }), withDefault, listing, quoted(1e9)).bid, 0);
  const refused = (kind: 'chat' | 'messages', code: string) =>
    assert.throws(
      () => priceOf(request({ limit: null }, { kind }), customer, listing, quoted(1e9)),
      (error) => error instanceof Fault && error.code === code,
    );
  refused('chat', 'missing_price_limit');
  refused('messages', 'missing_bid');
});

test('a lock bids the lower of quote and limit, and waits its own window', () => {
  const locked = priceOf(request({ priceLock: true }), customer, listing, quoted(2e9));
  assert.deepEqual(locked, { bid: 2e9, limit: 5e9, priceLock: true, quoteAtSubmission: 2e9, quoteSeq: 4 });
  assert.equal(priceOf(request({ priceLock: true }), customer, listing, quoted(9e9)).bid, 5e9);
  assert.equal(waitMsOf(locked, request({ maxWaitS: 900 }), customer, bounds), 10_000);
});

test('the account can lock by default and a request can decline', () => {
  const locking = { ...customer, priceLock: true };
  assert.equal(priceOf(request(), locking, listing, quoted(1e9)).priceLock, true);
  assert.equal(priceOf(request({ priceLock: false }), locking, listing, quoted(1e9)).priceLock, false);
});

test('the account’s lock is for interactive requests: a detached one locks only where it says so', () => {
  const locking = { ...customer, priceLock: true };
  const lockOf = (more: Partial<Extensions>) =>
    priceOf(request({ detached: true, ...more }), locking, listing, quoted(1e9)).priceLock;
  assert.deepEqual([lockOf({}), lockOf({ priceLock: true })], [false, true]);
});

test('a fixed-price listing ignores limits and locks and bids its price at the mix', () => {
  const price = priceOf(request({ limit: null, priceLock: true }), customer, fixed, assert.fail);
  assert.deepEqual(price, { bid: 0.29e9, limit: null, priceLock: false, quoteAtSubmission: null });
});

test('the wait is the request, else the account, within the bounds', () => {
  const unlocked = priceOf(request(), customer, listing, quoted(1e9));
  const waits = [null, 1, 10, 45, 2_592_000].map((maxWaitS) =>
    waitMsOf(unlocked, request({ maxWaitS }), customer, bounds),
  );
  assert.deepEqual(waits, [600_000, 10_000, 10_000, 45_000, 2_592_000_000]);
});

test('a request can shorten retention and never lengthen it; store false wins', () => {
  const days = (change: Partial<Extensions>) => retentionDaysOf(request(change), customer);
  assert.deepEqual(
    [days({}), days({ retentionDays: 3 }), days({ retentionDays: 99 }), days({ retentionDays: 0 })],
    [30, 3, 30, 0],
  );
  assert.equal(days({ store: false, retentionDays: 3 }), 0);
  assert.equal(days({ store: true }), 30);
});

test('a cap from the caller is clamped to the model and never lowered when the balance is too small', () => {
  assert.deepEqual(capOf(request({}, { outputCap: 9000 }), listing, 1e9, null), { cap: 4096, covered: true });
  assert.deepEqual(capOf(request({}, { outputCap: 4000 }), listing, 1e9, 1n), { cap: 4000, covered: false });
});

test('a default cap is the maximum of the model, lowered to what the balance pays for, not under 1,024', () => {
  const long = request({}, { generation: { body: {}, promptBound: 6000, promptEstimate: 50 } });
  assert.equal(capOf(long, listing, 1e9, null).cap, 4096);
  const worst = (output: number) => worstCaseOf(listing.tariff, 1e9, { uncached: 100, cached: 0, output });
  assert.deepEqual(capOf(request(), listing, 1e9, worst(4096)), { cap: 4096, covered: true });
  assert.deepEqual(capOf(request(), listing, 1e9, worst(2000)), { cap: 2000, covered: true });
  assert.deepEqual(capOf(request(), listing, 1e9, worst(1024) - 1n), { cap: 1024, covered: false });
});

test('a worst case of nothing passes on an empty balance', () => {
  assert.deepEqual(capOf(request({}, { outputCap: 10 }), listing, 0, 0n), { cap: 10, covered: true });
});

test('the hold counts media as the listing says, and never more than the context', () => {
  const holds = (promptBound: number, media: { image?: number; audio?: number }, worst: number) => {
    const asked = request({}, { outputCap: 10, generation: { body: {}, promptBound, promptEstimate: 50, media } });
    const figures = { ...listing, mediaTokens: { ...listing.mediaTokens, image: 2500, audio: 100 } };
    const hold = worstCaseOf(listing.tariff, 1e9, { uncached: worst, cached: 0, output: 10 });
    assert.deepEqual(
      [hold, hold - 1n].map((balance) => capOf(asked, figures, 1e9, balance).covered),
      [true, false],
    );
  };
  holds(1600, { image: 1 }, 2600);
  holds(10_100, { audio: 2 }, 300);
  holds(450_000, {}, 8192);
});

const measuredAs = (promptEstimate: number) => ({ body: {}, promptBound: 2 * promptEstimate, promptEstimate });

test('a prompt far above the context is refused before anything else, in words that agents of each shape know', () => {
  for (const [kind, param] of [
    ['chat', 'messages'],
    ['completion', 'prompt'],
    ['responses', 'input'],
    ['messages', 'messages'],
  ] as const)
    assert.throws(
      () => checkContext(request({}, { kind, generation: measuredAs(12_289) }), listing),
      (error) =>
        error instanceof Fault &&
        error.code === 'context_length_exceeded' &&
        error.param === param &&
        error.message.startsWith('prompt is too long: 12289 tokens > 8192 maximum.'),
    );
  checkContext(request({}, { generation: measuredAs(12_288) }), listing);
  const file = { body: {}, promptBound: 30_100, promptEstimate: 15_050, media: { file: 1 } };
  checkContext(request({}, { generation: file }), listing);
});

test('a refusal for a cap that does not fit names prompt and cap, so that a client can lower the cap', () => {
  const { message } = overfullContext({ prompt: 8000, output: 1000, limit: 8192 }, 'messages');
  assert.match(message, /^input length and `max_tokens` exceed context limit: 8000 \+ 1000 > 8192\./);
  const unknown = overfullContext({ prompt: 50, output: null, limit: 8192 }, 'messages');
  assert.match(unknown.message, /^prompt is too long: 8193 tokens > 8192 maximum\./);
});

test('a pod gets the cap that the caller sent or money lowered, and the maximum where it certainly fits', () => {
  const passes = (body: JsonObject, promptBound: number, outputCap = 4096) =>
    passesCapOn({ body }, { promptBound, outputCap }, { contextLength: 8192, outputLengthMax: 4096 });
  assert.deepEqual([passes({}, 4096), passes({}, 4097), passes({ max_tokens: 9000 }, 8192)], [true, false, true]);
  assert.equal(passes({}, 8192, 10), true);
});
