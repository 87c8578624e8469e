/**
 * What every wire shape must do. A new shape adds a row to the table: its smallest request, and how to read its
 * answers; the cases below then apply to it too.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '#base/fault.ts';
import { eventsOf, type GenerationEvent } from '#results/generation.ts';
import {
  CANNED_ORDER,
  type CannedGeneration,
  cannedAnswer,
  cannedGenerations,
  cannedReceipt,
} from '#testing/canned-generations.ts';
import { validated } from '#testing/conforming.ts';
import { type ShapeRow, shapeRows } from '#testing/shape-rows.ts';
import type { OrderFacts, ParsedRequest, RequestHeaders, WireShape } from './common/wire-shape.ts';

const FACTS: OrderFacts = {
  orderId: CANNED_ORDER,
  model: 'tide-70b',
  createdAtMs: Date.UTC(2026, 0, 1),
  promptEstimate: 7,
};

/** Reads a body as the gateway does: its validator first, then its shape. */
function read(shape: WireShape<unknown>, body: unknown, headers: RequestHeaders = {}): ParsedRequest<unknown> {
  return shape.parseRequest(validated(shape.isBody, body), headers);
}

function streamOf(row: ShapeRow<unknown>, canned: CannedGeneration): string {
  const encoder = row.shape.openStream(FACTS, read(row.shape, row.body).echo, 'request-1');
  const opening = encoder.open();
  const output = canned.batches.map((batch) => encoder.keepalive() + encoder.events(batch));
  return (
    opening + output.join('') + encoder.keepalive() + encoder.ended({ status: 'done', answer: cannedAnswer(canned) })
  );
}

/** What a model may do next: write text, reason, call a tool, or continue one of the calls that it has begun. */
const move = fc.oneof(
  fc.record({
    type: fc.constantFrom('text-delta' as const, 'reasoning-delta' as const),
    text: fc.string({ minLength: 1 }),
  }),
  fc.constant({ type: 'tool-call' as const }),
  fc.record({
    type: fc.constant('tool-arguments-delta' as const),
    call: fc.nat(),
    length: fc.integer({ min: 1, max: 9 }),
  }),
);
const reasons = fc.constantFrom('stop' as const, 'length' as const, 'content_filter' as const);

/** A generation of any such steps, in which every call is completed. */
const anyGeneration = fc.tuple(fc.array(move, { maxLength: 30 }), reasons).map(([moves, reason]) => {
  const events: GenerationEvent[] = [];
  const rests: string[] = [];
  const write = (index: number, length: number) => {
    const rest = rests[index] ?? '';
    if (rest === '') return;
    events.push({ type: 'tool-arguments-delta', index, fragment: rest.slice(0, length) });
    rests[index] = rest.slice(length);
  };
  for (const made of moves) {
    if (made.type === 'tool-arguments-delta') write(made.call % Math.max(1, rests.length), made.length);
    else if (made.type !== 'tool-call') events.push(made);
    else
      events.push({
        type: 'tool-call',
        index: rests.push('{"at":"sea"}') - 1,
        id: `call_${rests.length}`,
        name: 'look',
        ...(rests.length % 3 === 0 ? { custom: true } : {}),
      });
  }
  rests.forEach((rest, index) => void write(index, rest.length));
  events.push({ type: 'finish', reason, stopSequence: null });
  return { name: 'anything', batches: events.map((event) => [event]) };
});

/** The fields about the user, and what the request log stores of them by the kind of order. */
const ASKER = { user: 'u', safety_identifier: 's', metadata: { a: 'b', user_id: 'm' }, prompt_cache_key: 'p' };
const KEPT = { chat: ASKER, completion: ASKER, responses: { user: 'u' }, messages: { user: 'm' } };

const SCHEMAS = {
  chat: 'ChatCompletionRequest',
  completion: 'CompletionRequest',
  responses: 'ResponseRequest',
  messages: 'MessageRequest',
};
const document = JSON.parse(readFileSync(new URL('../../generated/openapi.json', import.meta.url), 'utf8'));

/** The fields of a request that may be null in the interface document. */
function nullableFields(kind: keyof typeof SCHEMAS): string[] {
  const { schemas } = document.components;
  const fields: [string, { nullable?: boolean; $ref?: string }][] = Object.entries(schemas[SCHEMAS[kind]].properties);
  const named = (reference: string) => schemas[reference.split('/').at(-1) ?? ''];
  return fields.filter(([, field]) => (field.$ref ? named(field.$ref) : field).nullable === true).map(([name]) => name);
}

for (const row of shapeRows) {
  const { shape, kind, body } = row;
  const parse = (more: object = {}, headers: Record<string, string> = {}) => read(shape, { ...body, ...more }, headers);
  const refused = (code: string, more: object, headers: Record<string, string> = {}) =>
    assert.throws(
      () => parse(more, headers),
      (error) => error instanceof Fault && error.code === code && error.status === 400,
    );

  test(`${kind}: fields about the user are stored separately and not sent to a model`, () => {
    const { askedBy, generation } = parse(ASKER).request;
    assert.deepEqual(askedBy, KEPT[kind]);
    assert.deepEqual(generation.body, parse().request.generation.body);
    assert.equal(parse({ user: null, metadata: null }).request.askedBy, null);
    assert.equal(parse().request.askedBy, null);
  });

  test(`${kind}: the smallest request is accepted, without price, wait and retention`, () => {
    const { request } = parse();
    assert.equal(shape.kind, kind);
    assert.equal(request.kind, kind);
    assert.equal(request.model, null);
    assert.equal(request.stream, false);
    assert.equal(request.idempotency, null);
    assert.deepEqual(request.extensions, {
      limit: null,
      maxChargeNano: null,
      priceLock: null,
      maxWaitS: null,
      deadline: null,
      detached: false,
      store: null,
      retentionDays: null,
    });
  });

  test(`${kind}: null counts as absent in a documented field, and is not sent to a model`, () => {
    const nullable = nullableFields(kind).filter((name) => !(name in body));
    assert.ok(nullable.includes('temperature'));
    const nulls = Object.fromEntries(nullable.map((name) => [name, null]));
    assert.deepEqual(parse(nulls).request, parse().request);
  });

  for (const wrong of [null, 'text', 5, [], undefined])
    test(`${kind}: a body that is ${JSON.stringify(wrong)} is refused`, () => {
      assert.throws(() => read(shape, wrong), Fault);
    });

  test(`${kind}: whatever a field contains, the request is accepted or refused with 400`, () => {
    const field = fc.oneof(fc.constantFrom(...row.fields), fc.string());
    const more = fc.dictionary(field, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 });
    const headers = fc.dictionary(fc.constantFrom('idempotency-key', row.priceHeader, 'x-expires-after'), fc.string());
    fc.assert(
      fc.property(more, headers, (sent, sentHeaders) => {
        try {
          const { request } = parse(sent, sentHeaders);
          assert.equal(request.kind, kind);
          assert.ok(request.generation.promptBound >= request.generation.promptEstimate);
        } catch (error) {
          assert.ok(error instanceof Fault && error.status === 400, String(error));
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test(`${kind}: a price in the body takes precedence over one in the header`, () => {
    const { priceField, priceHeader } = row;
    assert.equal(parse({}, { [priceHeader]: '0.5' }).request.extensions.limit, 500_000_000);
    assert.equal(parse({ [priceField]: 2 }, { [priceHeader]: '0.5' }).request.extensions.limit, 2_000_000_000);
    assert.equal(parse({ [priceField]: null }, { [priceHeader]: '0.5' }).request.extensions.limit, 500_000_000);
  });

  test(`${kind}: an invalid header is refused even when the body takes precedence`, () => {
    refused('invalid_price_limit', { [row.priceField]: 2 }, { [row.priceHeader]: 'cheap' });
    refused('invalid_max_wait', { max_wait: 60 }, { 'x-expires-after': '1.5' });
  });

  test(`${kind}: a field in no table is forwarded unchanged, the gateway's own fields are not`, () => {
    const foo = { a: [1, { b: null }] };
    const more = { foo, [row.priceField]: 1, price_lock: false, max_wait: 60, expires_after: 61, retention_days: 1 };
    const { body: forwarded } = parse(more).request.generation;
    assert.equal(forwarded.foo, foo);
    for (const name of Object.keys(more)) assert.equal(name in forwarded, name === 'foo', name);
    for (const name of ['model', 'stream', 'stream_options']) assert.ok(!(name in forwarded), name);
  });

  test(`${kind}: a key that names the prototype does not become one`, () => {
    const hostile = JSON.parse(`{"__proto__":{"polluted":true},"constructor":1}`);
    const { body: forwarded } = read(shape, { ...body, ...hostile }).request.generation;
    assert.equal(forwarded.polluted, undefined);
  });

  test(`${kind}: the fingerprint of an Idempotency-Key depends on meaning, not on delivery`, () => {
    const key = { 'idempotency-key': 'k' };
    const fingerprint = (more: object, headers: object = {}) =>
      parse(more, { ...key, ...headers }).request.idempotency?.fingerprint;
    assert.equal(fingerprint({}), fingerprint({ stream: true }));
    assert.notEqual(fingerprint({}), fingerprint({ foo: 1 }));
    assert.notEqual(fingerprint({}), fingerprint({}, { [row.priceHeader]: '1' }));
    assert.notEqual(fingerprint({}), fingerprint({}, { 'x-expires-after': '60' }));
    refused('invalid_request', {}, { 'idempotency-key': '' });
    refused('invalid_request', {}, { 'idempotency-key': 'x'.repeat(256) });
    assert.equal(parse({}, { 'idempotency-key': 'x'.repeat(255) }).request.idempotency?.key.length, 255);
  });

  for (const canned of cannedGenerations) {
    const answer = cannedAnswer(canned);

    test(`${kind}: a stream of ${canned.name} says the same as the object`, () => {
      const whole = row.readObject(row.checkObject(shape.renderAnswer(FACTS, answer, parse().echo)));
      assert.deepEqual(row.readStream(row.checkFrames(streamOf(row, canned))), whole);
      assert.deepEqual(whole.tokens, answer.receipt.tokens);
      assert.deepEqual(whole.receipt, cannedReceipt);
      assert.equal(whole.text, answer.generation.text);
    });

    test(`${kind}: a replayed stream of ${canned.name} is a complete stream`, () => {
      const encoder = shape.openStream(FACTS, parse().echo, 'request-1');
      const replay = [
        encoder.open(),
        encoder.events(eventsOf(answer.generation)),
        encoder.ended({ status: 'done', answer }),
      ];
      assert.deepEqual(row.readStream(replay.join('')), row.readStream(streamOf(row, canned)));
    });

    test(`${kind}: a collected object of ${canned.name} says the same without the request`, () => {
      const whole = row.readObject(shape.renderAnswer(FACTS, answer, parse().echo));
      assert.deepEqual(row.readObject(row.checkObject(shape.renderAnswer(FACTS, answer, null))), whole);
    });

    test(`${kind}: ${canned.name} that fails at the end is reported once, within the stream`, () => {
      const encoder = shape.openStream(FACTS, parse().echo, 'request-1');
      const output = encoder.open() + canned.batches.map((batch) => encoder.events(batch)).join('');
      const end = encoder.ended({ status: 'error', fault: new Fault('backend_error') });
      assert.notEqual(row.readFailure(row.checkFrames(output + end)), null);
    });
  }

  test(`${kind}: whatever order a model writes in, stream, replay and object say the same`, () => {
    fc.assert(
      fc.property(anyGeneration, (canned) => {
        const answer = cannedAnswer(canned);
        const { echo } = parse();
        const whole = row.readObject(shape.renderAnswer(FACTS, answer, echo));
        assert.deepEqual(row.readStream(streamOf(row, canned)), whole);
        const replay = shape.openStream(FACTS, echo, 'request-1');
        const text =
          replay.open() + replay.events(eventsOf(answer.generation)) + replay.ended({ status: 'done', answer });
        assert.deepEqual(row.readStream(text), whole);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  for (const [status, code] of [
    ['expired', 'order_expired'],
    ['canceled', 'order_canceled'],
    ['error', 'insufficient_balance'],
  ] as const)
    test(`${kind}: an order that is ${status} before any output ends its stream with ${code}`, () => {
      const encoder = shape.openStream(FACTS, parse().echo, 'request-1');
      const stream = encoder.open() + encoder.keepalive() + encoder.ended({ status, fault: new Fault(code) });
      assert.notEqual(row.readFailure(stream), null);
    });
}
