/** Idempotency keys: one request is carried out once, however often it is sent. */
import assert from 'node:assert/strict';
import { Absent, type CheckGroup, type Gateway, jsonWith } from './gateway.ts';

/** Sends a request twice with the same key. Throws Absent where the key changes nothing. */
async function sentTwice(gateway: Gateway) {
  const headers = { 'idempotency-key': gateway.ids.uuid() };
  const [first, second] = [await gateway.chat({}, headers), await gateway.chat({}, headers)];
  assert.equal(typeof jsonWith(first, 200).id, 'string');
  if (first.json?.id !== jsonWith(second, 200).id) throw new Absent('no idempotency keys');
  return { first, second, headers };
}

export const idempotency: CheckGroup = {
  name: 'idempotency',
  checks: [
    {
      name: 'a request that is sent again with its key has the same answer',
      async run(gateway) {
        const { first, second } = await sentTwice(gateway);
        assert.deepEqual(second.json, first.json);
      },
    },
    {
      name: 'another request with the same key is refused',
      async run(gateway) {
        const { headers } = await sentTwice(gateway);
        const { status } = await gateway.chat({ messages: [{ role: 'user', content: 'Something else.' }] }, headers);
        assert.ok(status === 409 || status === 422, `${status} instead of 409 or 422`);
      },
    },
    {
      name: 'of ten at once with one key at most one is carried out',
      async run(gateway) {
        await sentTwice(gateway);
        const headers = { 'idempotency-key': gateway.ids.uuid() };
        const all = await Promise.all(Array.from({ length: 10 }, () => gateway.chat({}, headers)));
        const served = all.filter(({ status }) => status === 200);
        assert.equal(new Set(served.map(({ json }) => json?.id)).size, 1, 'there are several answers, or none');
        const others = all.filter(({ status }) => status !== 200);
        assert.ok(
          others.every(({ status }) => status === 409 || status === 429),
          `others are ${others.map(({ status }) => status)}`,
        );
      },
    },
  ],
};
