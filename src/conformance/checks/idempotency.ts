/** Checks of idempotency keys: one request is carried out once, however often it is sent. */
import assert from 'node:assert/strict';
import { checkChatStream } from '../streams/chat-stream-checker.ts';
import { check, jsonWith, marketCheck, refused, refusedMessage, streamOf, textIn } from './check.ts';
import { Absent, type Gateway, type HttpAnswer, type Json } from './gateway.ts';

const OTHER = { messages: [{ role: 'user', content: 'Something else.' }] };
type Ask = (headers: Record<string, string>) => Promise<HttpAnswer>;

/** The answers to a request that was sent twice with one key. Throws Absent where the key changes nothing. */
async function twice(gateway: Gateway, ask: Ask) {
  const headers = { 'idempotency-key': gateway.ids.uuid() };
  const first = await ask(headers);
  const id = textIn(jsonWith(first, 200), 'id');
  const isStored = ({ status }: HttpAnswer) => status !== 429;
  const second = await gateway.until(() => ask(headers), isStored);
  if (second.status === 200 && second.json?.id !== id) throw new Absent('no idempotency keys');
  return { first: first.json as Json, second, headers };
}

const chats = (gateway: Gateway) => gateway.once('twice', () => twice(gateway, (headers) => gateway.chat({}, headers)));

export const idempotency = [
  check('4.1-7 4.1-8', 'a request that is sent again with its key has the same answer', async (gateway) => {
    const { first, second } = await chats(gateway);
    assert.deepEqual(jsonWith(second, 200), first);
  }),
  check('4.1-9 4.2-54', 'another request with the same key is refused', async (gateway) => {
    const { headers } = await chats(gateway);
    const { status } = await gateway.chat(OTHER, headers);
    assert.ok(status === 409 || status === 422, `${status} instead of 409 or 422`);
  }),
  marketCheck('4.1-9 7-14', 'another request with the same key is 409 idempotency_error', async (gateway) => {
    const { headers } = await chats(gateway);
    refused(await gateway.chat(OTHER, headers), 409, 'idempotency_error');
  }),
  check('4.1-7', 'of ten at once with one key at most one is carried out', async (gateway) => {
    await chats(gateway);
    const headers = { 'idempotency-key': gateway.ids.uuid() };
    const all = await Promise.all(Array.from({ length: 10 }, () => gateway.chat({}, headers)));
    const served = all.filter(({ status }) => status === 200);
    assert.equal(new Set(served.map(({ json }) => json?.id)).size, 1, 'there are several answers, or none');
    const others = all.filter(({ status }) => status !== 200).map(({ status }) => status);
    assert.ok(
      others.every((status) => status === 409 || status === 429),
      `others are ${others}`,
    );
  }),
  marketCheck('4.1-8', 'a stream that is sent again has the same text', async (gateway) => {
    const headers = { 'idempotency-key': gateway.ids.uuid() };
    const ask = () => gateway.chat({ stream: true }, headers);
    const first = checkChatStream(streamOf(await ask()));
    const second = checkChatStream(streamOf(await gateway.until(ask, ({ status }) => status !== 429)));
    assert.deepEqual([second.id, second.text], [first.id, first.text]);
  }),
  marketCheck('4.1-7 4.1-8', 'a response that is sent again has the same answer', async (gateway) => {
    const { first, second } = await twice(gateway, (headers) => gateway.response({}, headers));
    assert.deepEqual(jsonWith(second, 200), first);
  }),
  marketCheck('4.1-7 4.5-3', 'a message that is sent again has the same answer', async (gateway) => {
    const { first, second } = await twice(gateway, (headers) => gateway.message({}, headers));
    assert.deepEqual(jsonWith(second, 200), first);
  }),
  marketCheck('7-44', 'another message with the same key is 409 in the envelope of Anthropic', async (gateway) => {
    const { headers } = await twice(gateway, (headers) => gateway.message({}, headers));
    refusedMessage(await gateway.message(OTHER, headers), 409, 'conflict_error');
  }),
  marketCheck(
    '4.1-10 7-20',
    'a request that stored nothing, sent again, is 410 result_unavailable',
    async (gateway) => {
      const headers = { 'idempotency-key': gateway.ids.uuid() };
      jsonWith(await gateway.chat({ store: false }, headers), 200);
      refused(await gateway.chat({ store: false }, headers), 410, 'result_unavailable');
    },
  ),
];
