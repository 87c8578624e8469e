import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cannedReply, chunkOf, DONE_FRAME, frameOf } from '#testing/mock-backend.ts';
import { contentOf, meaningOf } from './answers.ts';
import type { OrderRequest } from './requests.ts';

const chat: OrderRequest = { shape: 'chat', path: '/v1/chat/completions', stream: false, detached: false, body: {} };
const x_market = { order_id: 'order', charged_usd: 3e-6 };

function read(request: OrderRequest, status: number, body: string | object, { isKeyed = false } = {}) {
  const isStream = typeof body === 'string';
  const answer = { status, orderId: 'order', text: isStream ? body : JSON.stringify(body), isStream };
  const content = contentOf(request.shape, answer);
  return { ...content, meaning: meaningOf(request, answer, content, isKeyed) };
}

const error = (code: string, message = '') => ({ error: { code, message } });

test('a body and a stream with a receipt were charged', () => {
  const receipt = { orderId: 'order', chargedUsd: 3e-6 };
  const unary = read(chat, 200, { usage: { x_market } });
  assert.deepEqual([unary.receipt, unary.meaning], [receipt, 'charged']);
  const frames = [
    { ...chunkOf({ role: 'assistant', content: '' }), usage: null },
    { ...chunkOf({}, { finish_reason: 'stop' }), usage: null },
    { ...chunkOf({}), choices: [], usage: { x_market } },
  ];
  const stream = read({ ...chat, stream: true }, 200, frames.map(frameOf).join('') + DONE_FRAME);
  assert.deepEqual([stream.receipt, stream.meaning], [receipt, 'charged']);
});

test('an error was refused, in a stream too, unless it says that the charge is uncertain', () => {
  assert.equal(read(chat, 502, error('backend_error')).meaning, 'refused');
  const failed = { error: { message: '', type: 'server_error', param: null, code: 'backend_error' } };
  assert.equal(read({ ...chat, stream: true }, 200, frameOf(failed)).meaning, 'refused');
  assert.equal(read(chat, 500, error('settlement_uncertain')).meaning, 'unknown');
});

test('an accepted order names itself in its body', () => {
  const { id, meaning } = read({ ...chat, detached: true }, 202, { id: 'order', object: 'order' });
  assert.deepEqual([id, meaning], ['order', 'accepted']);
});

test('a 503 leaves only what outlives its caller in doubt, and says nothing about a key, which is sent again', () => {
  assert.equal(read(chat, 503, error('unavailable')).meaning, 'refused');
  assert.equal(read({ ...chat, detached: true }, 503, error('unavailable')).meaning, 'unknown');
  for (const code of ['unavailable', 'settlement_uncertain'])
    assert.equal(read(chat, 503, error(code), { isKeyed: true }).meaning, 'nothing');
});

test('an answer about a key says nothing about the charge', () => {
  for (const [status, code] of [
    [429, 'result_pending'],
    [409, 'idempotency_error'],
    [410, 'result_unavailable'],
  ] as const)
    assert.equal(read(chat, status, error(code), { isKeyed: true }).meaning, 'nothing');
});

test('a stream that ends within itself is malformed', () => {
  const [opening] = cannedReply().writes;
  assert.throws(() => read({ ...chat, stream: true }, 200, String(opening)), /ends with \[DONE\] or an error/);
});
