import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogue, Fault, type FaultCode, publicCode } from './fault.ts';

const codes = Object.keys(catalogue) as FaultCode[];

test('docs/errors.md has the catalogue as it is, in its order', () => {
  const told = codes.map((code) => {
    const { status, type, message } = catalogue[code];
    return { code: publicCode(code), status, type, message };
  });
  assert.deepEqual(catalogueOfPage(), told);
});

test('every row of docs/errors.md says when it happens', () => {
  for (const row of catalogueRows()) assert.ok(row[4], `nothing says when ${row[0]} happens`);
});

test('a fault says what the catalogue says unless it knows better', () => {
  const plain = new Fault('order_expired');
  assert.deepEqual([plain.status, plain.type, plain.param, plain.orderId], [408, 'timeout_error', null, null]);
  assert.equal(plain.message, catalogue.order_expired.message);
  assert.equal(new Fault('order_expired', { message: 'It waited for 10 s.' }).message, 'It waited for 10 s.');
});

test('a fault that is told of an order keeps everything else', () => {
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

test('a full queue goes over the wire as a rate limit, every other code as it is', () => {
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

/** The cells of each row of the page's last table. */
function catalogueRows(): string[][] {
  const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| code | status | type | sentence | when |\n');
  const lines = table.trim().split('\n').slice(1);
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function catalogueOfPage() {
  return catalogueRows().map(([code = '', status, type, message]) => ({
    code: code.replaceAll('`', ''),
    status: Number(status),
    type,
    message,
  }));
}
