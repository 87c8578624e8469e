import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedOrder } from './envelope.ts';

const ORDER = {
  orderId: '019b76da-a800-7000-8000-000000000001',
  kind: 'chat',
  createdAtMs: Date.UTC(2026, 0, 1),
  expiresAtMs: Date.UTC(2026, 0, 2),
  resultStored: true,
  retentionDays: 30,
} as const;

test('a detached order is acknowledged with the address of its result', () => {
  assert.deepEqual(acceptedOrder(ORDER), {
    id: ORDER.orderId,
    object: 'order',
    status: 'queued',
    expires_at: '2026-01-02T00:00:00.000Z',
    result_url: `/v1/orders/${ORDER.orderId}/result`,
    result_stored: true,
    result_retention_days: 30,
  });
});

test('an order whose result will not be stored is acknowledged with a warning', () => {
  const body = acceptedOrder({ ...ORDER, resultStored: false, retentionDays: 0 });
  assert.equal(body.result_stored, false);
  assert.equal(body.result_retention_days, 0);
  assert.match(String(body.warning), /not be stored/);
});
