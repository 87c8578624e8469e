import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '#base/fault.ts';
import { validated } from '#testing/conforming.ts';
import { chatShape, messagesShape } from '../shapes.ts';
import { extensionFields, extensionHeaders } from './extensions.ts';
import type { RequestHeaders } from './wire-shape.ts';

const MESSAGES = [{ role: 'user', content: 'Hi' }];

function read(more: object, headers: RequestHeaders = {}) {
  const body = validated(chatShape.isBody, { messages: MESSAGES, ...more });
  return chatShape.parseRequest(body, headers).request.extensions;
}

/** [body, headers, field, value] */
const taken: [object, RequestHeaders, string, unknown][] = [
  [{ price_limit: 0 }, {}, 'limit', 0],
  [{ price_limit: 1e9 }, {}, 'limit', 1e18],
  [{ price_limit: 0.0000000019 }, {}, 'limit', 1],
  [{ price_limit: null }, {}, 'limit', null],
  [{}, { 'x-price-limit': ' 0.25 ' }, 'limit', 250_000_000],
  [{}, { 'x-price-limit': '1e-3' }, 'limit', 1_000_000],
  [{ price_limit: 0 }, { 'x-price-limit': '3' }, 'limit', 0],
  [{ max_charge_usd: 0 }, {}, 'maxChargeNano', 0],
  [{ max_charge_usd: 1e6 }, {}, 'maxChargeNano', 1e15],
  [{ max_charge_usd: 0.0123456789 }, {}, 'maxChargeNano', 12_345_678],
  [{ max_charge_usd: 0.07 }, { 'x-max-charge-usd': '3' }, 'maxChargeNano', 70_000_000],
  [{ max_charge_usd: null }, { 'x-max-charge-usd': ' 1e-9 ' }, 'maxChargeNano', 1],
  [{}, {}, 'maxChargeNano', null],
  [{ price_lock: true }, {}, 'priceLock', true],
  [{ price_lock: false }, {}, 'priceLock', false],
  [{ price_lock: null }, {}, 'priceLock', null],
  [{ max_wait: 1 }, {}, 'maxWaitS', 1],
  [{ max_wait: 2_592_000 }, {}, 'maxWaitS', 2_592_000],
  [{ expires_after: 60 }, {}, 'maxWaitS', 60],
  [{ max_wait: 30, expires_after: 60 }, { 'x-expires-after': '90' }, 'maxWaitS', 30],
  [{ max_wait: null, expires_after: 60 }, {}, 'maxWaitS', 60],
  [{}, { 'x-expires-after': '90' }, 'maxWaitS', 90],
  [{ deadline: null }, {}, 'deadline', null],
  [{ detached: true }, {}, 'detached', true],
  [{ detached: null }, {}, 'detached', false],
  [{ store: false }, {}, 'store', false],
  [{ retention_days: 0 }, {}, 'retentionDays', 0],
  [{ retention_days: 1e6 }, {}, 'retentionDays', 1e6],
];
for (const [body, headers, field, value] of taken)
  test(`${JSON.stringify(body)} with ${JSON.stringify(headers)} reads as ${field} ${value}`, () => {
    assert.equal(read(body, headers)[field as keyof ReturnType<typeof read>], value);
  });

/** [body, headers, code, param] */
const refused: [object, RequestHeaders, FaultCode, string][] = [
  [{ price_limit: -1 }, {}, 'invalid_price_limit', 'price_limit'],
  [{ price_limit: 1e9 + 1 }, {}, 'invalid_price_limit', 'price_limit'],
  [{ price_limit: '5' }, {}, 'invalid_price_limit', 'price_limit'],
  [{ price_limit: true }, {}, 'invalid_price_limit', 'price_limit'],
  [{ price_limit: Number.NaN }, {}, 'invalid_price_limit', 'price_limit'],
  ...['abc', '', '-1', '1000000001', '0x10', '1,5', 'Infinity', '1e999', 'NaN'].map(
    (text): [object, RequestHeaders, FaultCode, string] => [
      {},
      { 'x-price-limit': text },
      'invalid_price_limit',
      'x-price-limit',
    ],
  ),
  [{}, { 'x-price-limit': ['1', '2'] }, 'invalid_price_limit', 'x-price-limit'],
  [{ price_limit: 1 }, { 'x-price-limit': 'abc' }, 'invalid_price_limit', 'x-price-limit'],
  [{ max_charge_usd: -1e-9 }, {}, 'invalid_max_charge', 'max_charge_usd'],
  [{ max_charge_usd: 1e6 + 1 }, {}, 'invalid_max_charge', 'max_charge_usd'],
  [{ max_charge_usd: '1' }, {}, 'invalid_max_charge', 'max_charge_usd'],
  [{}, { 'x-max-charge-usd': '1000001' }, 'invalid_max_charge', 'x-max-charge-usd'],
  [{}, { 'x-max-charge-usd': '' }, 'invalid_max_charge', 'x-max-charge-usd'],
  [{ max_charge_usd: 1 }, { 'x-max-charge-usd': '-1' }, 'invalid_max_charge', 'x-max-charge-usd'],
  [{ price_lock: 'yes' }, {}, 'invalid_request', 'price_lock'],
  [{ max_wait: 0 }, {}, 'invalid_max_wait', 'max_wait'],
  [{ max_wait: 2_592_001 }, {}, 'invalid_max_wait', 'max_wait'],
  [{ max_wait: 1.5 }, {}, 'invalid_max_wait', 'max_wait'],
  [{ max_wait: '60' }, {}, 'invalid_max_wait', 'max_wait'],
  [{ expires_after: 0 }, {}, 'invalid_max_wait', 'expires_after'],
  [{ max_wait: 60, expires_after: -1 }, {}, 'invalid_max_wait', 'expires_after'],
  [{ max_wait: 60 }, { 'x-expires-after': 'soon' }, 'invalid_max_wait', 'x-expires-after'],
  [{}, { 'x-expires-after': '1.5' }, 'invalid_max_wait', 'x-expires-after'],
  [{}, { 'x-expires-after': '2592001' }, 'invalid_max_wait', 'x-expires-after'],
  ...[
    0,
    -1,
    1.5,
    2_592_001,
    '60',
    '',
    'soon',
    '2027-01-31',
    '2027-02-31T25:00:00Z',
    '2027-02-30T00:00:00Z',
    '2027-01-31T24:00:00Z',
    '2027-01-31T23:59:60Z',
    1e308,
    true,
    {},
    [],
  ].map((deadline): [object, RequestHeaders, FaultCode, string] => [{ deadline }, {}, 'invalid_request', 'deadline']),
  ...['0', '-1', '1.5', '2592001', '99999999', '', 'soon', '6e1'].map(
    (text): [object, RequestHeaders, FaultCode, string] => [
      { deadline: 60 },
      { 'x-deadline': text },
      'invalid_request',
      'x-deadline',
    ],
  ),
  [{}, { 'x-deadline': ['60', '60'] }, 'invalid_request', 'x-deadline'],
  [{ deadline: 60, price_lock: true }, {}, 'invalid_request', 'deadline'],
  [{ price_lock: true }, { 'x-deadline': '60' }, 'invalid_request', 'x-deadline'],
  [{ deadline: 60, max_wait: 60 }, {}, 'invalid_request', 'deadline'],
  [{ deadline: 60 }, { 'x-expires-after': '60' }, 'invalid_request', 'deadline'],
  [{ detached: 1 }, {}, 'invalid_request', 'detached'],
  [{ store: 'no' }, {}, 'invalid_request', 'store'],
  [{ retention_days: -1 }, {}, 'invalid_request', 'retention_days'],
  [{ retention_days: 0.5 }, {}, 'invalid_request', 'retention_days'],
  [{ retention_days: '7' }, {}, 'invalid_request', 'retention_days'],
];
for (const [body, headers, code, param] of refused)
  test(`${JSON.stringify(body)} with ${JSON.stringify(headers)} is refused with ${code} at ${param}`, () => {
    assert.throws(
      () => read(body, headers),
      (error) => error instanceof Fault && error.code === code && error.param === param && error.status === 400,
    );
  });

test('a deadline is seconds or a time, from the body before the header', () => {
  const time = '2027-01-31T06:00:00+01:00';
  assert.deepEqual(read({ deadline: 60 }).deadline, { inS: 60 });
  assert.deepEqual(read({ deadline: time }).deadline, { atMs: Date.UTC(2027, 0, 31, 5) });
  assert.deepEqual(read({}, { 'x-deadline': ' 2592000 ' }).deadline, { inS: 2_592_000 });
  assert.deepEqual(read({}, { 'x-deadline': time }).deadline, { atMs: Date.UTC(2027, 0, 31, 5) });
  assert.deepEqual(read({ deadline: 60, price_lock: false }, { 'x-deadline': '70' }).deadline, { inS: 60 });
});

test("a shape's own name of the price takes precedence, its other names still count", () => {
  const price = (more: object, headers: RequestHeaders = {}) => {
    const body = validated(messagesShape.isBody, { messages: MESSAGES, max_tokens: 16, ...more });
    return messagesShape.parseRequest(body, headers).request.extensions.limit;
  };
  assert.equal(price({ max_price: 1, price_limit: 2 }), 1e9);
  assert.equal(price({ price_limit: 2 }, { 'x-max-price': '3' }), 2e9);
  assert.equal(price({}, { 'x-price-limit': '4', 'x-max-price': '3' }), 3e9);
  assert.throws(() => price({ max_price: 1, price_limit: 'x' }), Fault);
});

test('the names of fields and headers come from one place', () => {
  assert.deepEqual(extensionFields(['max_price', 'price_limit']).slice(0, 2), ['max_price', 'price_limit']);
  assert.deepEqual(extensionHeaders(['price_limit']), [
    'x-price-limit',
    'x-expires-after',
    'x-max-charge-usd',
    'x-deadline',
    'x-tags',
  ]);
});
