import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelHash, quoteHash } from './price-chain.ts';
import { checkReceipt, type ReceiptClaims } from './receipt-claims.ts';

const RECEIPT: ReceiptClaims = {
  ...{ iss: 'urn:sluice:one', iat: 1, order_id: 'o', kind: 'chat', model: 'tide-70b' },
  ...{ created_at: '', admitted_at: '', settled_at: '', estimated: false },
  tariff: 'market:100000000:1000000000:4000000000',
  ...{ level_nano_usd: 250_000_000, bid_nano_usd: 500_000_000 },
  ...{ prompt_tokens: 1000, cached_tokens: 0, output_tokens: 20 },
  // (1000 × 1 + 20 × 4) × 0.25 ÷ (0.09 + 0.1 + 0.08), in millionths of a dollar.
  ...{ charged_nano_usd: 1_000_000, written_off_nano_usd: 0 },
  level_row: {
    ...{ number: 7, level_nano_usd: 250_000_000, at_ms: 1, previous: 'before' },
    hash: levelHash('tide-70b', { number: 7, price: 250_000_000, atMs: 1 }, 'before'),
  },
  quote_window: {
    ...{ number: 3, price_nano_usd: 500_000_000, from_ms: 1, until_ms: 2, previous: 'before' },
    hash: quoteHash('tide-70b', { number: 3, price: 500_000_000, atMs: 1, untilMs: 2 }, 'before'),
  },
};

const faultsWith = (change: object) => checkReceipt({ ...RECEIPT, ...change }).faults;

test('a receipt adds up when its tokens cost what was charged and written off', () => {
  assert.deepEqual(checkReceipt({ ...RECEIPT }), { due: 1_000_000n, faults: [] });
  assert.deepEqual(faultsWith({ charged_nano_usd: 999_000, written_off_nano_usd: 1000 }), []);
  assert.deepEqual(faultsWith({ max_charge_nano_usd: 1_000_000 }), []);
  assert.deepEqual(faultsWith({ level_row: null, quote_window: null }), []);
  const fixed = {
    tariff: 'fixed:100:200:300',
    charged_nano_usd: 0,
    prompt_tokens: 1,
    cached_tokens: 1,
    output_tokens: 0,
  };
  assert.deepEqual(faultsWith(fixed), []);
});

for (const [what, change, sentence] of [
  ['another charge', { charged_nano_usd: 1_000_001 }, /cost 1000000 nano-dollars; the receipt says 1000001/],
  ['another count', { output_tokens: 21 }, /cost/],
  ['another tariff', { tariff: 'market:100000000:1000000000:5000000000' }, /cost/],
  ['a charge above its bound', { max_charge_nano_usd: 999_999 }, /above its bound/],
  ['a price above its bid', { bid_nano_usd: 1 }, /above the bid/],
  ['a price above the level', { level_row: { number: 7, level_nano_usd: 1, at_ms: 1 } }, /above the published level/],
  [
    'a bid above its quote',
    { quote_window: { number: 3, price_nano_usd: 1, from_ms: 1, until_ms: 2 } },
    /above the quote/,
  ],
  [
    'a level of another hash',
    { level_row: { ...RECEIPT.level_row, at_ms: 2 } },
    /published level does not have the hash/,
  ],
  [
    'a quote of another hash',
    { quote_window: { ...RECEIPT.quote_window, until_ms: 3 } },
    /quote does not have the hash/,
  ],
  ['a row without its price', { level_row: {} }, /above the published level/],
  ['no tariff', { tariff: 'market:1' }, /tariff cannot be read/],
  ['a count that is none', { prompt_tokens: 1.5 }, /prompt_tokens is not a whole number/],
  ['a charge in words', { charged_nano_usd: '250000' }, /charged_nano_usd is not a whole number/],
  ['a charge below zero', { charged_nano_usd: -1 }, /charged_nano_usd is not a whole number/],
  ['more cached than sent', { cached_tokens: 1001 }, /More tokens were cached/],
] as const)
  test(`a receipt with ${what} does not`, () => {
    assert.match(faultsWith(change).join(), sentence);
  });

test('a tariff without weights can charge nothing, and is refused', () => {
  assert.match(faultsWith({ tariff: 'market:0:0:0' }).join(), /tariff/);
});
