/**
 * What every wire shape must do, whatever its words. A shape joins by a row in the table: a smallest request, and how to
 * read its answers; the cases below then hold for it too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '#base/fault.ts';
import { eventsOf, type GenerationEvent } from '#orders/generation.ts';
import type { OrderKind } from '#orders/order.ts';
import type { JsonObject } from '#orders/request.ts';
import {
  CANNED_ORDER,
  type CannedGeneration,
  cannedAnswer,
  cannedGenerations,
  cannedReceipt,
} from '#testing/canned-generations.ts';
import { checkChatStream } from '#testing/chat-stream-checker.ts';
import { checkCompletionStream } from '#testing/completion-stream-checker.ts';
import { conforming, conformingFrames } from '#testing/conforming.ts';
import { checkMessagesStream, type MessageBlock } from '#testing/messages-stream-checker.ts';
import { checkResponsesStream, type ResponseItem } from '#testing/responses-stream-checker.ts';
import { chatShape } from './chat/shape.ts';
import { completionShape } from './completion/shape.ts';
import { messagesShape } from './messages/shape.ts';
import { responsesShape } from './responses/shape.ts';
import type { OrderFacts, WireShape } from './wire-shape.ts';

/** What an answer says, in no shape's words. */
interface Reading {
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { id: string; name: string; arguments: string }[];
  readonly finish: unknown;
  readonly tokens: { uncached: number; cached: number; output: number };
  readonly receipt: unknown;
}

interface Row<Echo> {
  readonly shape: WireShape<Echo>;
  readonly kind: OrderKind;
  /** Checks that an object, and the frames of a stream, are what the interface document promises. */
  readonly checkObject: (answer: JsonObject) => JsonObject;
  readonly checkFrames: (text: string) => string;
  /** The smallest request; asks a stream for its usage where the shape must be asked. */
  readonly body: JsonObject;
  /** Every field that the shape reads. */
  readonly fields: readonly string[];
  readonly priceField: string;
  readonly priceHeader: string;
  readonly readObject: (answer: JsonObject) => Reading;
  /** Checks the stream whole and reads it. */
  readonly readStream: (text: string) => Reading;
  /** The code of the error that ends the stream; null when it ended well. */
  readonly readFailure: (text: string) => string | null;
}

const chat: Row<unknown> = {
  shape: chatShape,
  kind: 'chat',
  checkObject: (answer) => conforming('createChatCompletion 200', answer),
  checkFrames: (text) => conformingFrames('createChatCompletion', text),
  body: { messages: [{ role: 'user', content: 'Hi' }], stream_options: { include_usage: true } },
  fields: [
    ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p'],
    ...['stop', 'n', 'best_of', 'tools', 'logprobs', 'price_limit', 'price_lock', 'max_wait', 'expires_after'],
    ...['detached', 'store', 'retention_days', 'metadata', 'user'],
  ],
  priceField: 'price_limit',
  priceHeader: 'x-price-limit',
  readObject(answer) {
    const { id, choices, usage } = answer as unknown as ChatCompletion;
    const [choice] = choices;
    assert.ok(choice);
    const { message } = choice;
    return {
      id,
      text: message.content ?? '',
      reasoning: message.reasoning_content ?? '',
      toolCalls: (message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
      finish: choice.finish_reason,
      ...readOpenaiUsage(usage),
    };
  },
  readStream(text) {
    const stream = checkChatStream(text);
    assert.ok(stream.usage && stream.id);
    const { id, reasoning, toolCalls } = stream;
    return {
      id,
      text: stream.text,
      reasoning,
      toolCalls,
      finish: stream.finishReason,
      ...readOpenaiUsage(stream.usage),
    };
  },
  readFailure: (text) => checkChatStream(text).error?.code ?? null,
};

const completion: Row<unknown> = {
  shape: completionShape,
  kind: 'completion',
  checkObject: (answer) => conforming('createCompletion 200', answer),
  checkFrames: (text) => conformingFrames('createCompletion', text),
  body: { prompt: 'Hi', stream_options: { include_usage: true } },
  fields: [
    ...['model', 'prompt', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'temperature', 'top_p'],
    ...['stop', 'n', 'best_of', 'tools', 'logprobs', 'echo', 'price_limit', 'price_lock', 'max_wait', 'expires_after'],
    ...['detached', 'store', 'retention_days', 'metadata', 'user', 'messages'],
  ],
  priceField: 'price_limit',
  priceHeader: 'x-price-limit',
  readObject(answer) {
    const { id, choices, usage } = answer as unknown as TextCompletion;
    const [choice] = choices;
    assert.ok(choice);
    const { text, finish_reason: finish } = choice;
    return { id, text, reasoning: '', toolCalls: [], finish, ...readOpenaiUsage(usage) };
  },
  readStream(text) {
    const { id, text: said, finishReason: finish, usage } = checkCompletionStream(text);
    assert.ok(usage && id);
    return { id, text: said, reasoning: '', toolCalls: [], finish, ...readOpenaiUsage(usage) };
  },
  readFailure: (text) => checkCompletionStream(text).error?.code ?? null,
};

const messages: Row<null> = {
  shape: messagesShape,
  kind: 'messages',
  checkObject: (answer) => conforming('createMessage 200', answer),
  checkFrames: (text) => conformingFrames('createMessage', text),
  body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16 },
  fields: [
    ...['model', 'max_tokens', 'system', 'messages', 'tools', 'tool_choice', 'temperature', 'top_p', 'top_k', 'stream'],
    ...['stop_sequences', 'metadata', 'thinking', 'output_config', 'mcp_servers', 'max_price', 'price_limit'],
    ...['price_lock', 'max_wait', 'expires_after', 'detached', 'store', 'retention_days'],
  ],
  priceField: 'max_price',
  priceHeader: 'x-max-price',
  readObject(answer) {
    const { id, content, stop_reason: finish, usage } = answer as unknown as Message;
    return { id, ...readBlocks(content), finish, ...readMessagesUsage(usage) };
  },
  readStream(text) {
    const { id, content, stopReason: finish, usage } = checkMessagesStream(text);
    assert.ok(usage && id);
    return { id, ...readBlocks(content), finish, ...readMessagesUsage(usage) };
  },
  readFailure: (text) => checkMessagesStream(text).error?.code ?? null,
};

const responses: Row<JsonObject> = {
  shape: responsesShape,
  kind: 'responses',
  checkObject: (answer) => conforming('createResponse 200', answer),
  checkFrames: (text) => conformingFrames('createResponse', text),
  body: { input: 'Hi' },
  fields: [
    ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'max_output_tokens', 'temperature', 'top_p', 'text'],
    ...[
      'reasoning',
      'parallel_tool_calls',
      'metadata',
      'store',
      'stream',
      'user',
      'previous_response_id',
      'truncation',
    ],
    ...['background', 'price_limit', 'max_price', 'price_lock', 'max_wait', 'expires_after', 'detached'],
    ...['retention_days', 'include', 'messages'],
  ],
  priceField: 'price_limit',
  priceHeader: 'x-price-limit',
  readObject: readResponse,
  readStream: (text) => readResponse(checkResponsesStream(text).response),
  readFailure: (text) => checkResponsesStream(text).error?.code ?? null,
};

const rows: readonly Row<unknown>[] = [chat, completion, responses, messages];

const FACTS: OrderFacts = {
  orderId: CANNED_ORDER,
  model: 'tide-70b',
  createdAtMs: Date.UTC(2026, 0, 1),
  promptEstimate: 7,
};

interface ChatCompletion {
  id: string;
  choices: {
    message: {
      content: string | null;
      reasoning_content?: string;
      tool_calls?: { id: string; function: { name: string; arguments: string } }[];
    };
    finish_reason: string;
  }[];
  usage: Record<string, unknown>;
}

interface TextCompletion {
  id: string;
  choices: { text: string; finish_reason: string }[];
  usage: Record<string, unknown>;
}

interface Response {
  id: string;
  output: ResponseItem[];
  status: string;
  incomplete_details: { reason: string } | null;
  usage: Record<string, unknown>;
}

interface Message {
  id: string;
  content: MessageBlock[];
  stop_reason: string;
  usage: Record<string, unknown>;
}

function readResponse(response: JsonObject): Reading {
  const { id, output, incomplete_details, status, usage } = response as unknown as Response;
  const said = (type: string) => output.filter((item) => item.type === type);
  const texts = (type: string) => said(type).flatMap(({ content }) => content as { text: string }[]);
  return {
    id,
    text: texts('message')
      .map(({ text }) => text)
      .join(''),
    reasoning: texts('reasoning')
      .map(({ text }) => text)
      .join(''),
    toolCalls: said('function_call').map((item) => ({
      id: String(item.call_id),
      name: String(item.name),
      arguments: String(item.arguments),
    })),
    finish: [status, incomplete_details?.reason, output.map((item) => [item.id, item.status])],
    ...readResponseUsage(usage),
  };
}

function readResponseUsage(usage: Record<string, unknown>): Pick<Reading, 'tokens' | 'receipt'> {
  const [input, output] = [Number(usage.input_tokens), Number(usage.output_tokens)];
  const { cached_tokens: cached } = usage.input_tokens_details as { cached_tokens: number };
  assert.equal(usage.total_tokens, input + output);
  return { tokens: { uncached: input - cached, cached, output }, receipt: usage.x_market };
}

function readBlocks(content: readonly MessageBlock[]): Pick<Reading, 'text' | 'reasoning' | 'toolCalls'> {
  const calls = content.filter((block) => block.type === 'tool_use');
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    toolCalls: calls.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
  };
}

/** Where they do not. */
function readMessagesUsage(usage: Record<string, unknown>): Pick<Reading, 'tokens' | 'receipt'> {
  assert.equal(usage.cache_creation_input_tokens, 0);
  const [uncached, cached] = [Number(usage.input_tokens), Number(usage.cache_read_input_tokens)];
  return { tokens: { uncached, cached, output: Number(usage.output_tokens) }, receipt: usage.x_market };
}

/** Where prompt tokens include the cached ones. */
function readOpenaiUsage(usage: Record<string, unknown>): Pick<Reading, 'tokens' | 'receipt'> {
  const prompt = Number(usage.prompt_tokens);
  const { cached_tokens: cached } = usage.prompt_tokens_details as { cached_tokens: number };
  assert.equal(usage.total_tokens, prompt + Number(usage.completion_tokens));
  return {
    tokens: { uncached: prompt - cached, cached, output: Number(usage.completion_tokens) },
    receipt: usage.x_market,
  };
}

function streamOf(row: Row<unknown>, canned: CannedGeneration): string {
  const encoder = row.shape.openStream(FACTS, row.shape.parseRequest(row.body, {}).echo, 'request-1');
  const opening = encoder.open();
  const output = canned.batches.map((batch) => encoder.keepalive() + encoder.events(batch));
  return (
    opening + output.join('') + encoder.keepalive() + encoder.ended({ status: 'done', answer: cannedAnswer(canned) })
  );
}

/** What a model may do next: speak, think, call a tool, or write on at one of the calls that it has begun. */
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

/** A generation of any such moves, in which every call is written to its end. */
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
      });
  }
  rests.forEach((rest, index) => void write(index, rest.length));
  events.push({ type: 'finish', reason, stopSequence: null });
  return { name: 'anything', batches: events.map((event) => [event]) };
});

for (const row of rows) {
  const { shape, kind, body } = row;
  const parse = (more: object = {}, headers: Record<string, string> = {}) =>
    shape.parseRequest({ ...body, ...more }, headers);
  const refused = (code: string, more: object, headers: Record<string, string> = {}) =>
    assert.throws(
      () => parse(more, headers),
      (error) => error instanceof Fault && error.code === code && error.status === 400,
    );

  test(`${kind}: the smallest request is taken, with nothing said about price, time and keeping`, () => {
    const { request } = parse();
    assert.equal(shape.kind, kind);
    assert.equal(request.kind, kind);
    assert.equal(request.model, null);
    assert.equal(request.stream, false);
    assert.equal(request.idempotency, null);
    assert.deepEqual(request.extensions, {
      priceLimit: null,
      priceLock: null,
      maxWaitS: null,
      detached: false,
      store: null,
      retentionDays: null,
    });
  });

  for (const wrong of [null, 'text', 5, [], undefined])
    test(`${kind}: a body that is ${JSON.stringify(wrong)} is refused`, () => {
      assert.throws(() => shape.parseRequest(wrong, {}), Fault);
    });

  test(`${kind}: whatever a field holds, the request is taken or refused with 400`, () => {
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

  test(`${kind}: a price in the body wins over one in the header, and the header over silence`, () => {
    const { priceField, priceHeader } = row;
    assert.equal(parse({}, { [priceHeader]: '0.5' }).request.extensions.priceLimit, 500_000_000);
    assert.equal(parse({ [priceField]: 2 }, { [priceHeader]: '0.5' }).request.extensions.priceLimit, 2_000_000_000);
    assert.equal(parse({ [priceField]: null }, { [priceHeader]: '0.5' }).request.extensions.priceLimit, 500_000_000);
  });

  test(`${kind}: a header that cannot be read is refused even when the body wins`, () => {
    refused('invalid_price_limit', { [row.priceField]: 2 }, { [row.priceHeader]: 'cheap' });
    refused('invalid_max_wait', { max_wait: 60 }, { 'x-expires-after': '1.5' });
  });

  test(`${kind}: a field in no table reaches the model untouched, the gateway's own do not`, () => {
    const foo = { a: [1, { b: null }] };
    const more = { foo, [row.priceField]: 1, price_lock: false, max_wait: 60, expires_after: 61, retention_days: 1 };
    const { body: forwarded } = parse(more).request.generation;
    assert.equal(forwarded.foo, foo);
    for (const name of Object.keys(more)) assert.equal(name in forwarded, name === 'foo', name);
    for (const name of ['model', 'stream', 'stream_options']) assert.ok(!(name in forwarded), name);
  });

  test(`${kind}: a key that names the prototype does not become one`, () => {
    const hostile = JSON.parse(`{"__proto__":{"polluted":true},"constructor":1}`);
    const { body: forwarded } = shape.parseRequest({ ...body, ...hostile }, {}).request.generation;
    assert.equal(forwarded.polluted, undefined);
  });

  test(`${kind}: an Idempotency-Key brings a fingerprint that delivery does not change and meaning does`, () => {
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

    test(`${kind}: a stream of ${canned.name} says what the whole object says`, () => {
      const whole = row.readObject(row.checkObject(shape.renderAnswer(FACTS, answer, parse().echo)));
      assert.deepEqual(row.readStream(row.checkFrames(streamOf(row, canned))), whole);
      assert.deepEqual(whole.tokens, answer.receipt.tokens);
      assert.deepEqual(whole.receipt, cannedReceipt);
      assert.equal(whole.text, answer.generation.text);
    });

    test(`${kind}: a replayed stream of ${canned.name} is a whole stream`, () => {
      const encoder = shape.openStream(FACTS, parse().echo, 'request-1');
      const replay = [
        encoder.open(),
        encoder.events(eventsOf(answer.generation)),
        encoder.ended({ status: 'done', answer }),
      ];
      assert.deepEqual(row.readStream(replay.join('')), row.readStream(streamOf(row, canned)));
    });

    test(`${kind}: a collected object of ${canned.name} says the same without the request at hand`, () => {
      const whole = row.readObject(shape.renderAnswer(FACTS, answer, parse().echo));
      assert.deepEqual(row.readObject(row.checkObject(shape.renderAnswer(FACTS, answer, null))), whole);
    });

    test(`${kind}: ${canned.name} that fails in the end is told once, in band`, () => {
      const encoder = shape.openStream(FACTS, parse().echo, 'request-1');
      const output = encoder.open() + canned.batches.map((batch) => encoder.events(batch)).join('');
      const end = encoder.ended({ status: 'error', fault: new Fault('backend_error') });
      assert.notEqual(row.readFailure(row.checkFrames(output + end)), null);
    });
  }

  test(`${kind}: in whatever order a model speaks, thinks and calls, stream, replay and whole object say the same`, () => {
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
