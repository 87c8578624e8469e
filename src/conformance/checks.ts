/**
 * The checks, of any gateway that says it speaks these shapes: refusals and their envelopes, answers in one piece,
 * streams, idempotency keys (one request is carried out once, however often it is sent), and what only a market has.
 */
import assert from 'node:assert/strict';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import {
  Absent,
  type Check,
  type CheckGroup,
  countIn,
  firstOf,
  type Gateway,
  type HttpAnswer,
  type Json,
  jsonWith,
  objectIn,
  streamOf,
} from './gateway.ts';
import { checkChatStream, checkCompletionStream } from './streams/chat-stream-checker.ts';
import { checkMessagesStream } from './streams/messages-stream-checker.ts';
import { checkResponsesStream } from './streams/responses-stream-checker.ts';

const answers = group('answers', {
  async 'chat: a message of the assistant, a finish, and counts that add up'(gateway) {
    const body = jsonWith(await gateway.chat(), 200);
    assert.equal(body.object, 'chat.completion');
    const choice = firstOf(body, 'choices');
    assert.equal(objectIn(choice, 'message').role, 'assistant');
    assert.ok(['stop', 'length'].includes(String(choice.finish_reason)), `finish_reason is ${choice.finish_reason}`);
    addsUp(objectIn(body, 'usage'));
  },
  async 'chat: max_tokens 1 is one token at most, and its finish is length'(gateway) {
    const body = jsonWith(await gateway.chat({ max_tokens: 1 }), 200);
    assert.equal(firstOf(body, 'choices').finish_reason, 'length');
    assert.ok(countIn(objectIn(body, 'usage'), 'completion_tokens') <= 1);
  },
  async 'completions: text, a finish, and counts that add up'(gateway) {
    const body = jsonWith(await gateway.completion(), 200);
    assert.equal(body.object, 'text_completion');
    assert.equal(typeof firstOf(body, 'choices').text, 'string');
    addsUp(objectIn(body, 'usage'));
  },
  async 'responses: a message in the output, completed or cut, and counts'(gateway) {
    const body = jsonWith(await gateway.response(), 200);
    assert.equal(body.object, 'response');
    assert.ok(['completed', 'incomplete'].includes(String(body.status)), `status is ${body.status}`);
    firstOf(body, 'output');
    const usage = objectIn(body, 'usage');
    assert.equal(countIn(usage, 'total_tokens'), countIn(usage, 'input_tokens') + countIn(usage, 'output_tokens'));
  },
  async 'messages: content, a stop reason, and counts'(gateway) {
    const body = jsonWith(await gateway.message(), 200);
    assert.deepEqual([body.type, body.role], ['message', 'assistant']);
    assert.ok(['end_turn', 'max_tokens'].includes(String(body.stop_reason)), `stop_reason is ${body.stop_reason}`);
    firstOf(body, 'content');
    const usage = objectIn(body, 'usage');
    assert.ok(countIn(usage, 'input_tokens') > 0 && countIn(usage, 'output_tokens') > 0);
  },
  async 'messages: tokens are counted without an answer'(gateway) {
    const messages = [{ role: 'user', content: 'How many tokens are these?' }];
    const counted = gateway.post('/v1/messages/count_tokens', { model: gateway.model, messages });
    assert.ok(countIn(jsonWith(await gateway.present(counted), 200), 'input_tokens') > 0);
  },
});

function addsUp(usage: Json): void {
  const [prompt, completion] = [countIn(usage, 'prompt_tokens'), countIn(usage, 'completion_tokens')];
  assert.equal(countIn(usage, 'total_tokens'), prompt + completion);
}

/** Sends a request twice with the same key. Throws Absent where the key changes nothing. */
async function sentTwice(gateway: Gateway) {
  const headers = { 'idempotency-key': gateway.ids.uuid() };
  const [first, second] = [await gateway.chat({}, headers), await gateway.chat({}, headers)];
  assert.equal(typeof jsonWith(first, 200).id, 'string');
  if (first.json?.id !== jsonWith(second, 200).id) throw new Absent('no idempotency keys');
  return { first, second, headers };
}

const idempotency = group('idempotency', {
  async 'a request that is sent again with its key has the same answer'(gateway) {
    const { first, second } = await sentTwice(gateway);
    assert.deepEqual(second.json, first.json);
  },
  async 'another request with the same key is refused'(gateway) {
    const { headers } = await sentTwice(gateway);
    const { status } = await gateway.chat({ messages: [{ role: 'user', content: 'Something else.' }] }, headers);
    assert.ok(status === 409 || status === 422, `${status} instead of 409 or 422`);
  },
  async 'of ten at once with one key at most one is carried out'(gateway) {
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
});

/** The receipt of a chat, with the model's ratio; Absent where there are none. */
async function soldChat(gateway: Gateway) {
  await gateway.present(gateway.get(`/v1/market?model=${encodeURIComponent(gateway.model)}`));
  const usage = objectIn(jsonWith(await gateway.chat(), 200), 'usage');
  const { data } = jsonWith(await gateway.get('/v1/models'), 200);
  const listed = (data as Json[]).find(({ id }) => id === gateway.model);
  return { usage, receipt: objectIn(usage, 'x_market'), ratio: objectIn(listed, 'pricing_ratio') };
}

const market = group('market and receipts', {
  async 'the level of a model, and a quote that holds for a while'(gateway) {
    const model = encodeURIComponent(gateway.model);
    countIn(jsonWith(await gateway.present(gateway.get(`/v1/market?model=${model}`)), 200), 'level');
    const quote = jsonWith(await gateway.get(`/v1/market/price-lock?model=${model}`), 200);
    assert.ok(countIn(quote, 'valid_for_ms') <= countIn(quote, 'interval_ms'));
  },
  async 'the charge of a receipt follows from its level, the ratio and the tokens, to the nano-dollar'(gateway) {
    const { usage, receipt, ratio } = await soldChat(gateway);
    const part = (name: string) => countIn(ratio, name);
    const cached = Number((usage.prompt_tokens_details as Json | undefined)?.cached_tokens ?? 0);
    const uncached = countIn(usage, 'prompt_tokens') - cached;
    const weighted =
      cached * part('cached') + uncached * part('uncached') + countIn(usage, 'completion_tokens') * part('output');
    const mix = 0.9 * part('cached') + 0.1 * part('uncached') + 0.02 * part('output');
    const charge = (countIn(receipt, 'level_at_execution') * weighted) / mix / 1e6;
    assert.ok(
      Math.abs(charge - countIn(receipt, 'charged_usd')) <= 1e-9,
      `${charge}, and the receipt says ${receipt.charged_usd}`,
    );
  },
  async 'the order of an answer is done and has the same charge'(gateway) {
    const { receipt } = await soldChat(gateway);
    const order = jsonWith(await gateway.get(`/v1/orders/${String(receipt.order_id)}?include=usage`), 200);
    assert.equal(order.status, 'done');
    assert.equal(objectIn(order, 'usage').charged_usd, receipt.charged_usd);
  },
  async 'a signed receipt verifies with the published keys, and with one digit changed it does not'(gateway) {
    const { receipt } = await soldChat(gateway);
    const path = `/v1/orders/${String(receipt.order_id)}/receipt`;
    const { jws } = jsonWith(await gateway.present(gateway.get(path)), 200);
    assert.equal(typeof jws, 'string');
    const keys = createLocalJWKSet(
      jsonWith(await gateway.present(gateway.get('/.well-known/jwks.json')), 200) as unknown as JSONWebKeySet,
    );
    await compactVerify(String(jws), keys, { algorithms: ['EdDSA', 'Ed25519'] });
    const [head, payload = '', signature] = String(jws).split('.');
    const changed = Buffer.from(payload, 'base64url')
      .toString()
      .replace(/\d/, (digit) => `${(Number(digit) + 1) % 10}`);
    const forged = `${head}.${Buffer.from(changed).toString('base64url')}.${signature}`;
    await assert.rejects(compactVerify(forged, keys), 'a receipt with another digit verifies');
  },
  async 'the limits are published'(gateway) {
    assert.equal(jsonWith(await gateway.present(gateway.get('/v1/rate-limits')), 200).object, 'rate_limits');
  },
  async 'a negative price limit is 400'(gateway) {
    await soldChat(gateway);
    jsonWith(await gateway.chat({ price_limit: -1 }), 400);
  },
});

const stream = true;

const streams = group('streams', {
  async 'chat: chunks in order, one finish, [DONE]'(gateway) {
    const { error, finishReason } = checkChatStream(streamOf(await gateway.chat({ stream })));
    assert.equal(error, null);
    assert.ok(finishReason);
  },
  async 'chat: usage in a chunk of its own when asked for, and not otherwise'(gateway) {
    const ask = async (fields: object) => checkChatStream(streamOf(await gateway.chat({ stream, ...fields }))).usage;
    assert.equal(await ask({}), null);
    assert.ok(Number((await ask({ stream_options: { include_usage: true } }))?.completion_tokens) > 0);
  },
  async 'completions: chunks of text, one finish, [DONE]'(gateway) {
    const { error, text } = checkCompletionStream(streamOf(await gateway.completion({ stream })));
    assert.equal(error, null);
    assert.ok(text);
  },
  async 'responses: events numbered without a gap, each item from added to done, one end that repeats it all'(gateway) {
    const { status, usage } = checkResponsesStream(streamOf(await gateway.response({ stream })));
    assert.ok(status !== 'failed' && usage, `it ${status}`);
  },
  async 'messages: blocks one after another between message_start and message_stop'(gateway) {
    const { error, content, stopReason } = checkMessagesStream(streamOf(await gateway.message({ stream })));
    assert.equal(error, null);
    assert.ok(content.length > 0 && stopReason);
  },
  async 'a refusal before a stream has a status and no stream'(gateway) {
    const { status, json } = await gateway.chat({ stream, model: 'no-such-model-anywhere' });
    assert.equal(status, 404);
    assert.ok(objectIn(json, 'error').message);
  },
});

const NOBODY = 'sk-nobody-0000000000000000000000000000000000000000000';

const envelopes = group('envelopes', {
  async 'GET /v1/models lists models with their ids'(gateway) {
    const list = jsonWith(await gateway.get('/v1/models'), 200);
    assert.equal(list.object, 'list');
    assert.equal(typeof firstOf(list, 'data').id, 'string');
  },
  'a wrong key is 401 in the envelope of OpenAI': async (gateway) =>
    refused(await gateway.chat({}, { authorization: `Bearer ${NOBODY}` }), 401),
  async 'a wrong key is 401 in the envelope of Anthropic'(gateway) {
    const keys = { authorization: `Bearer ${NOBODY}`, 'x-api-key': NOBODY };
    const body = jsonWith(await gateway.message({}, keys), 401);
    assert.equal(body.type, 'error', `type is ${JSON.stringify(body.type)}`);
    assert.equal(objectIn(body, 'error').type, 'authentication_error');
  },
  async 'an unknown model is 404 and named'(gateway) {
    const { message } = refused(await gateway.chat({ model: 'no-such-model-anywhere' }), 404);
    assert.match(message, /no-such-model-anywhere/);
  },
  async 'an unknown model is 404 in the envelope of Anthropic'(gateway) {
    const body = jsonWith(await gateway.message({ model: 'no-such-model-anywhere' }), 404);
    assert.equal(objectIn(body, 'error').type, 'not_found_error');
  },
  'broken JSON is 400': async (gateway) => refused(await gateway.post('/v1/chat/completions', '{"model": '), 400),
  async 'a field of a wrong type is 400 and named in param'(gateway) {
    const { param } = refused(await gateway.chat({ messages: 'no list' }), 400);
    assert.match(String(param), /messages/);
  },
  async 'a missing field is 400 and named in param'(gateway) {
    const { param } = refused(await gateway.post('/v1/chat/completions', { model: gateway.model }), 400);
    assert.match(String(param), /messages/);
  },
  'an unknown address is 404 as JSON': async (gateway) => refused(await gateway.get('/v1/no-such-address'), 404),
  async 'every answer names its request in x-request-id'(gateway) {
    const ids = await Promise.all(
      [gateway.get('/v1/models'), gateway.chat(), gateway.chat({ messages: 1 })].map(async (asked) =>
        (await asked).headers.get('x-request-id'),
      ),
    );
    assert.ok(ids.every(Boolean), `the ids are ${JSON.stringify(ids)}`);
    assert.equal(new Set(ids).size, ids.length, 'two requests have the same id');
  },
});

function refused(answer: HttpAnswer, status: number): { readonly message: string; readonly param: unknown } {
  const { message, type, param } = objectIn(jsonWith(answer, status), 'error');
  assert.ok(typeof message === 'string' && message !== '', `error.message is ${JSON.stringify(message)}`);
  assert.ok(typeof type === 'string' && type !== '', `error.type is ${JSON.stringify(type)}`);
  return { message, param };
}

function group(name: string, checks: Readonly<Record<string, Check['run']>>): CheckGroup {
  return { name, checks: Object.entries(checks).map(([sentence, run]) => ({ name: sentence, run })) };
}

/** All of them, in the order in which they run. */
export const groups: readonly CheckGroup[] = [envelopes, answers, streams, idempotency, market];
