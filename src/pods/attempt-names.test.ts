import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOf } from './attempt-names.ts';

const order = { orderId: '019bd4a0', attempt: 2 };
const own = ['x-request-id', '019bd4a0-2'];
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

test('an attempt is named by its order and its number', () => {
  assert.deepEqual(namesOf({ ...order, trace: null }), own);
});

test('it carries the id of its request, and the trace if there is one', () => {
  const theirs = [...own, 'x-client-request-id', 'theirs'];
  const named = (context: { traceparent: string; tracestate: string | null } | null) =>
    namesOf({ ...order, trace: { requestId: 'theirs', context } });
  assert.deepEqual(named(null), theirs);
  assert.deepEqual(named({ traceparent, tracestate: null }), [...theirs, 'traceparent', traceparent]);
  const whole = [...theirs, 'traceparent', traceparent, 'tracestate', 'a=1'];
  assert.deepEqual(named({ traceparent, tracestate: 'a=1' }), whole);
});
