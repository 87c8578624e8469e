import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderKind } from '#orders/order.ts';
import { eventsOf } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer, cannedGenerations } from '#testing/canned-generations.ts';
import { shapes } from '../shapes.ts';
import type { StreamEncoder, WireShape } from './wire-shape.ts';
import { openStream } from './wire-shape.ts';

const order = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_000, promptEstimate: 7 };
const [CANNED] = cannedGenerations;
assert.ok(CANNED);
const answer = cannedAnswer(CANNED);

const textOf = (stream: StreamEncoder) =>
  stream.open() + stream.events(eventsOf(answer.generation)) + stream.ended({ status: 'done', answer });

for (const kind of ['chat', 'completion', 'messages'] as OrderKind[])
  test(`${kind}: an echo in JSON is parsed, and the texts are complete`, () => {
    const shape = shapes[kind] as unknown as WireShape<unknown>;
    const echo = shape.defaultEcho;
    const parsed = openStream(shape, { order, echo: Buffer.from(JSON.stringify(echo)), requestId: 'request' });
    assert.equal(parsed.repeated, undefined);
    assert.equal(textOf(parsed), textOf(shape.openStream(order, echo, 'request')));
  });
