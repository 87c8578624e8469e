import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import type { OrderKind } from '#orders/order.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { shapes } from '../shapes.ts';
import { NumberedStream } from './numbered-stream.ts';
import type { StreamEncoder, WireShape } from './wire-shape.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: 1_767_225_600_000, promptEstimate: 7 };
const EVENTS: GenerationEvent[] = [
  { type: 'reasoning-delta', text: 'Hm.\n\nid: 3\n' },
  { type: 'text-delta', text: 'data: x\n\n' },
  { type: 'text-delta', text: '🌊' },
  { type: 'finish', reason: 'stop', stopSequence: null },
];
const answer = cannedAnswer({ name: 'own', batches: [EVENTS] });

function encoderOf(kind: OrderKind): StreamEncoder {
  const shape = shapes[kind] as unknown as WireShape<unknown>;
  return shape.openStream(FACTS, shape.defaultEcho, 'request');
}

function textOf(stream: Pick<NumberedStream, 'open' | 'events' | 'ended'>): string {
  return (
    stream.open() + EVENTS.map((event) => stream.events([event])).join('') + stream.ended({ status: 'done', answer })
  );
}

for (const kind of Object.keys(shapes) as OrderKind[]) {
  test(`${kind}: numbered events are those of the shape, and any tail of them can be had`, () => {
    const plain = textOf(encoderOf(kind));
    const whole = new NumberedStream(encoderOf(kind), { after: -1, ids: true });
    const frames = textOf(whole).split(/(?=^id: \d+\n)/m);
    assert.equal(frames.map((frame) => frame.replace(/^id: \d+\n/, '')).join(''), plain);
    assert.deepEqual(
      frames.map((frame) => Number(/^id: (\d+)\n/.exec(frame)?.[1])),
      [...frames.keys()],
    );
    assert.equal(whole.count, frames.length);
    for (const [after] of frames.entries()) {
      const tail = new NumberedStream(encoderOf(kind), { after, ids: true });
      assert.equal(textOf(tail), frames.slice(after + 1).join(''));
    }
  });

  test(`${kind}: what fills a silence has no number, and a failure the next one`, () => {
    const stream = new NumberedStream(encoderOf(kind), { after: 6, ids: true });
    stream.open();
    const before = stream.count;
    assert.match(stream.pulse(), /^(: .*\n|event: ping\ndata: .*\n\n)$/);
    assert.equal(stream.count, before);
    const fault = new Fault('backend_error');
    const failed = stream.failed({ status: 'error', fault });
    assert.match(failed, /^id: 7\n/);
    if (kind === 'responses') assert.match(failed, /"sequence_number":7,/);
  });
}

test('a keepalive that has a number keeps it whether it is left out or not', () => {
  const told = (after: number) => {
    const stream = new NumberedStream(encoderOf('responses'), { after, ids: true });
    return stream.open() + stream.progress() + stream.events(EVENTS.slice(1, 2)) + stream.progress();
  };
  const frames = told(-1).split(/(?=^id: \d+\n)/m);
  assert.match(frames[2] ?? '', /^id: 2\nevent: response.in_progress\ndata: .*"sequence_number":2,/);
  for (const [after] of frames.entries()) assert.equal(told(after), frames.slice(after + 1).join(''));
});
