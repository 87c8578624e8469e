/**
 * Streams that are cut at random bytes and resumed, in every shape. Whatever the cuts, a caller has each event once, in
 * order, the same bytes as the stream of an order that nobody cut, and pays the same. `STREAMS` sets how many there are
 * in each shape; `SEED` plays others.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  idsOf,
  type Piece,
  type Random,
  randomAnswer,
  randomFrom,
  readPiece,
  wholeEvents,
} from './support/cut-streams.ts';
import { useServer } from './support/server.ts';

const STREAMS = Number(process.env.STREAMS ?? 100);
const SEED = Number(process.env.SEED ?? 1);
/** Answers that the streams have, each of them once uncut. */
const ANSWERS = 10;
/** Streams that are read at once; each is an order, and they run eight at a time. */
const AT_ONCE = 16;

const common = { model: 'harbor', stream: true };
const shapes = {
  chat: ['/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], logprobs: true }],
  'chat with usage': [
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: 'Hi' }], stream_options: { include_usage: true } },
  ],
  completion: ['/v1/completions', { prompt: 'Hi', stream_options: { include_usage: true } }],
  responses: ['/v1/responses', { input: 'Hi', metadata: { boat: 'Ægir' }, instructions: 'Be brief.', user: 'anna' }],
  messages: ['/v1/messages', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 64 }],
} as const;

describe('streams that are cut and resumed', () => {
  const server = useServer();

  for (const [name, [path, fields]] of Object.entries(shapes)) {
    it(`give every event of ${name} once and in order, and cost the same: ${STREAMS} streams`, async () => {
      const { key } = await server.createAccount();
      const api = server.api.as(key);
      const headers = { authorization: `Bearer ${key}` };
      const random = randomFrom(SEED);
      for (let answer = 0; answer < ANSWERS; answer++) {
        server.answer(randomAnswer(random));
        const post = { method: 'POST', path, headers, body: { ...common, ...fields } } as const;
        const before = await server.charged(api);
        const uncut = await readPiece(server.api.url, post);
        assert.equal(uncut.status, 200, uncut.text);
        const one = await server.charged(api);
        const due = Array.from({ length: Math.ceil(STREAMS / ANSWERS) }, (_, index) => `${name} ${answer} ${index}`);
        const seeds = new Map(due.map((own) => [own, Math.floor(random.next() * 2 ** 32)]));
        const resumed = (own: string) =>
          resume({ own, post, uncut, random: randomFrom(seeds.get(own) ?? 0), url: server.api.url });
        const count = due.length;
        const workers = Array.from({ length: AT_ONCE }, async () => {
          for (let own = due.pop(); own !== undefined; own = due.pop()) await resumed(own);
        });
        await Promise.all(workers);
        const all = await server.charged(api);
        assert.equal(all.settled - one.settled, count);
        const cost = before.balanceNano - one.balanceNano;
        assert.ok(cost > 0);
        assert.equal(one.balanceNano - all.balanceNano, count * cost);
      }
    });
  }
});

interface Resuming {
  readonly own: string;
  readonly post: { readonly headers: Readonly<Record<string, string>> } & Parameters<typeof readPiece>[1];
  readonly uncut: Piece;
  readonly random: Random;
  readonly url: string;
}

/** Orders one stream, cuts it up to four times, and compares all that came with the uncut one. */
async function resume({ own, post, uncut, random, url }: Resuming): Promise<void> {
  const keyed = { ...post, headers: { ...post.headers, 'idempotency-key': own } };
  const length = Buffer.byteLength(uncut.text);
  const first = await readPiece(url, keyed, 1 + Math.floor(random.next() * length));
  assert.equal(first.status, 200, first.text);
  const { orderId } = first;
  const events = wholeEvents(first.text);
  let piece = first;
  for (let cuts = Math.floor(random.next() * 4); !piece.ended; cuts--) {
    const bytes = cuts > 0 ? 1 + Math.floor(random.next() * length) : Number.POSITIVE_INFINITY;
    const after = events.length === 0 ? '' : `?starting_after=${events.length - 1}`;
    const asked = { method: 'GET', path: `/v1/orders/${orderId}/stream${after}`, headers: post.headers } as const;
    piece = await readPiece(url, asked, bytes);
    assert.equal(piece.status, 200, piece.text);
    const come = wholeEvents(piece.text);
    assert.deepEqual(
      idsOf(piece.text),
      come.map((_, index) => events.length + index),
      own,
    );
    events.push(...come);
  }
  // The signature of thinking is made of the id.
  const coded = (id: string) => Buffer.from(`sluice:${id}`).toString('base64');
  const same = (text: string) =>
    text.replaceAll(orderId, uncut.orderId).replaceAll(coded(orderId), coded(uncut.orderId));
  assert.ok(same(events.join('\n\n')) === wholeEvents(uncut.text).join('\n\n'), `${own}: ${events.length} events`);
  const again = await readPiece(url, keyed);
  assert.ok(wholeEvents(again.text).join() === events.join(), `${own}, replayed`);
}
