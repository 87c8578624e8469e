import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { createLog, silentLog } from '#base/log.ts';
import { faultOf, faultReply } from './faults.ts';

const place = { path: '/v1/chat/completions', requestId: 'request-1' };
const isOutage = (error: unknown) => error instanceof Error && error.message === 'database gone';
const quiet = { log: silentLog, isOutage };

function logged(thrown: unknown): string {
  let text = '';
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  faultOf(thrown, place, { log: createLog('info', sink), isOutage });
  return text;
}

test('an unexpected error is 500, logged with its stack, and the caller sees nothing of it', () => {
  const secret = new Error('SELECT * FROM secrets');
  const reply = faultReply(faultOf(secret, place, quiet), place);
  assert.equal(reply.status, 500);
  assert.ok(!JSON.stringify(reply).includes('secrets'));
  assert.match(JSON.stringify(reply.json), /"code":"internal_error"/);
  assert.match(logged(secret), /SELECT \* FROM secrets.*faults\.test\.ts/);
  for (const thrown of [undefined, null, 'text', 7]) assert.equal(faultOf(thrown, place, quiet).status, 500);
});

test('a database that does not answer is 503 with Retry-After, logged, and the caller sees nothing of it', () => {
  const reply = faultReply(faultOf(new Error('database gone'), place, quiet), place);
  assert.equal(reply.status, 503);
  assert.equal(reply.headers?.['retry-after'], '1');
  assert.ok(!JSON.stringify(reply).includes('gone'));
  assert.match(logged(new Error('database gone')), /database gone/);
});

test('a fault of the caller is not logged, one of ours is, with its cause', () => {
  assert.equal(logged(new Fault('not_found', { cause: new Error('private') })), '');
  assert.match(logged(new Fault('unavailable', { cause: new Error('disk is full') })), /disk is full/);
});

test('a fault has its order, its extra headers and Retry-After', () => {
  const detail = { orderId: 'order-1', retryAfterS: 7, headers: { allow: 'GET' } };
  const { headers } = faultReply(new Fault('unavailable', detail), place);
  assert.deepEqual(headers, { allow: 'GET', 'x-service-order-id': 'order-1', 'retry-after': '7' });
});

test('x-should-retry keeps SDKs from placing a second order', () => {
  const told = (fault: Fault) => faultReply(fault, place).headers?.['x-should-retry'] ?? null;
  const orderId = 'order-1';
  for (const fault of [
    new Fault('order_expired'),
    new Fault('idempotency_error'),
    new Fault('order_canceled', { orderId }),
    new Fault('capacity_unavailable', { orderId }),
    new Fault('queue_full'),
    new Fault('backend_error', { orderId }),
    new Fault('settlement_uncertain', { orderId }),
  ]) {
    assert.equal(told(fault), 'false', fault.code);
  }
  for (const fault of [
    new Fault('rate_limit_error', { retryAfterS: 1 }),
    new Fault('result_pending', { retryAfterS: 1 }),
    new Fault('unavailable', { retryAfterS: 5, orderId }),
    new Fault('internal_error'),
    new Fault('invalid_json'),
    new Fault('insufficient_balance'),
  ]) {
    assert.equal(told(fault), null, fault.code);
  }
});
