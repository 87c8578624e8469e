import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import document from '#generated/openapi.json' with { type: 'json' };
import { catalogue, Fault, type FaultCode, publicCode } from './fault.ts';

const codes = Object.keys(catalogue) as FaultCode[];

test('docs/buy/errors.md lists the catalogue as it is, in its order, and says when each error happens', () => {
  const expected = codes.map((code) => ({ code: publicCode(code), ...pick(catalogue[code]) }));
  assert.deepEqual(catalogueOfPage(), expected);
});

test('openapi.yaml lists every code that a key can get, with its status and type', () => {
  const onPages = ['not_signed_in', 'sign_in_failed', 'too_many_keys', 'identity_refused', 'role_refused'];
  onPages.push('forged_request', 'needs_tls', 'account_busy', 'queue_full');
  const expected = codes.filter((code) => !onPages.includes(code)).map((code) => [code, pick(catalogue[code])]);
  const listed = Object.entries(document.components['x-errors'].codes).map(([code, entry]) => [code, pick(entry)]);
  assert.deepEqual(listed, expected);
});

test('docs/buy/errors.md and openapi.yaml say what each reason of an ended order means', () => {
  const reasons = ['client_closed', 'gateway_draining', 'gateway_unavailable', 'gateway_restarted'];
  reasons.push(
    'account_suspended',
    'order_canceled',
    'order_expired',
    'capacity_unavailable',
    'insufficient_balance',
    'key_budget_exceeded',
    'context_length_exceeded',
    'model_refused',
    'model_not_found',
  );
  reasons.push('prices_changed', 'input_unreadable', 'backend_error', 'internal_error');
  const [, table = ''] = page().split('| `error` | status of the order | why |\n');
  const rows = table.split('\n\n', 1)[0]?.split('\n').slice(1) ?? [];
  assert.deepEqual(
    rows.map((row) => row.split('`')[1]),
    reasons,
  );
  const schema = readFileSync(new URL('../../openapi/schemas/order.yaml', import.meta.url), 'utf8');
  for (const reason of reasons) assert.ok(schema.includes(reason), reason);
});

test('a fault has the sentence of the catalogue unless it is given one', () => {
  const plain = new Fault('order_expired');
  assert.deepEqual([plain.status, plain.type, plain.param, plain.orderId], [408, 'timeout_error', null, null]);
  assert.equal(plain.message, catalogue.order_expired.message);
  assert.equal(new Fault('order_expired', { message: 'It waited for 10 s.' }).message, 'It waited for 10 s.');
});

test('a fault that gets an order id keeps everything else', () => {
  const cause = new Error('disk full');
  const detail = { message: 'Not now.', param: 'model', retryAfterS: 2, headers: { allow: 'GET' }, cause };
  const named = new Fault('unavailable', detail).withOrder('order-1');
  assert.equal(named.orderId, 'order-1');
  assert.deepEqual(
    { message: named.message, param: named.param, retryAfterS: named.retryAfterS, headers: named.headers },
    { message: 'Not now.', param: 'model', retryAfterS: 2, headers: { allow: 'GET' } },
  );
  assert.equal(named.cause, cause);
  assert.equal(named.code, 'unavailable');
});

test('queue_full is a rate limit on the wire, every other code is unchanged', () => {
  assert.equal(publicCode('queue_full'), 'rate_limit_error');
  for (const code of codes) if (code !== 'queue_full') assert.equal(publicCode(code), code);
});

test('each status has one type', () => {
  const types = new Map<number, string>();
  for (const { status, type } of Object.values(catalogue)) {
    assert.equal(types.get(status) ?? type, type, `two types for ${status}`);
    types.set(status, type);
  }
});

function page(): string {
  return readFileSync(new URL('../../docs/buy/errors.md', import.meta.url), 'utf8');
}

const pick = ({ status, type }: { readonly status: number; readonly type: string }) => ({ status, type });

/** The codes that have a sentence under the headings of the last section, such as `### 402 `insufficient_quota``. */
function catalogueOfPage() {
  const [, ...sections] = page().split(/^### /m);
  return sections.flatMap((section) => {
    const [, status, type] = /^(\d+) `(\w+)`$/m.exec(section) ?? [];
    const rows = section.matchAll(/^- `(\w+)`: \S.+/gm);
    return Array.from(rows, ([, code]) => ({ code, status: Number(status), type }));
  });
}
