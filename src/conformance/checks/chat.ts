/** Checks of chat completions: the answer, the bounds of each field, and what is accepted. */
import assert from 'node:assert/strict';
import {
  carriedOut,
  check,
  countIn,
  epochSecondsIn,
  firstOf,
  hasFields,
  isEqual,
  isOneOf,
  jsonWith,
  listIn,
  marketCheck,
  objectIn,
  refused,
  textIn,
} from './check.ts';
import { isPreview, otherModel } from './discovery.ts';
import { type Gateway, type Json, SAY } from './gateway.ts';

const chat = async (gateway: Gateway) => jsonWith(await gateway.once('chat', () => gateway.chat()), 200);
const choice = async (gateway: Gateway) => firstOf(await chat(gateway), 'choices');

/** These fields are accepted. */
const takes = (fields: Json) => async (gateway: Gateway) =>
  carriedOut(await gateway.chat(fields), 'object', 'chat.completion');
/** These fields are refused with 400, with this code if one is given. */
const refuses = (fields: Json, code?: string) => async (gateway: Gateway) =>
  refused(await gateway.chat(fields), 400, code);
/** With these fields the answer has one token at most. */
const isCut = (fields: Json) => async (gateway: Gateway) => {
  const body = jsonWith(await gateway.chat(fields), 200);
  isEqual(firstOf(body, 'choices'), 'finish_reason', 'length');
  assert.ok(countIn(objectIn(body, 'usage'), 'completion_tokens') <= 1, 'there are more tokens');
};

const TOOL = { type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } };
const CALL = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } };
const CALLED = [
  ...SAY,
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 'call_1', content: 'Nothing.' },
];

export const chats = [
  check('4.2-45 2.9-5', 'chat: a message of the assistant, a finish, and counts that add up', async (gateway) => {
    isEqual(await chat(gateway), 'object', 'chat.completion');
    isEqual(objectIn(await choice(gateway), 'message'), 'role', 'assistant');
    isOneOf(await choice(gateway), 'finish_reason', ['stop', 'length']);
    const usage = objectIn(await chat(gateway), 'usage');
    isEqual(usage, 'total_tokens', countIn(usage, 'prompt_tokens') + countIn(usage, 'completion_tokens'));
  }),
  check('2.9-5', 'chat: an id, a time and the model', async (gateway) => {
    textIn(await chat(gateway), 'id');
    epochSecondsIn(await chat(gateway), 'created');
    textIn(await chat(gateway), 'model');
  }),
  check('2.9-5', 'chat: one choice, with the index 0', async (gateway) => {
    isEqual(await choice(gateway), 'index', 0);
    assert.equal(listIn(await chat(gateway), 'choices').length, 1);
  }),
  marketCheck('2.9-5 4.2-23', 'chat: logprobs are null when nobody asked for them', async (gateway) =>
    isEqual(await choice(gateway), 'logprobs', null),
  ),
  marketCheck('2.9-5', 'chat: usage counts the tokens from the cache', async (gateway) =>
    countIn(objectIn(objectIn(await chat(gateway), 'usage'), 'prompt_tokens_details'), 'cached_tokens'),
  ),
  check('4.2-9', 'chat: max_tokens 1 is one token at most, and its finish is length', isCut({ max_tokens: 1 })),
  check('4.2-9', 'chat: max_completion_tokens is the cap where there is no max_tokens', async (gateway) => {
    const fields = { model: gateway.model, messages: SAY, max_completion_tokens: 1 };
    const bid = gateway.priceLimit === null ? {} : { price_limit: gateway.priceLimit };
    const body = jsonWith(await gateway.post('/v1/chat/completions', { ...fields, ...bid }), 200);
    assert.ok(countIn(objectIn(body, 'usage'), 'completion_tokens') <= 1, 'there are more tokens');
  }),
  marketCheck(
    '4.2-10',
    'chat: max_tokens wins over max_completion_tokens',
    isCut({ max_tokens: 1, max_completion_tokens: 16 }),
  ),
  check('4.2-12 7-3', 'chat: max_tokens 0 is 400', refuses({ max_tokens: 0 })),
  marketCheck(
    '4.2-12 7-3',
    'chat: max_tokens 0 has the code invalid_output_cap',
    refuses({ max_tokens: 0 }, 'invalid_output_cap'),
  ),
  check('4.2-12', 'chat: half a token is 400', refuses({ max_tokens: 1.5 })),
  marketCheck(
    '4.2-9 8-39',
    'chat: an output cap over ten million is 400',
    refuses({ max_tokens: 10_000_001 }, 'invalid_output_cap'),
  ),
  check('4.2-13', 'chat: a temperature over 2 is 400', refuses({ temperature: 2.1 })),
  check('4.2-13', 'chat: a temperature under 0 is 400', refuses({ temperature: -0.1 })),
  check('4.2-13', 'chat: temperatures of 0 and 2 are accepted', async (gateway) => {
    await takes({ temperature: 0 })(gateway);
    await takes({ temperature: 2 })(gateway);
  }),
  check('4.2-14', 'chat: a top_p over 1 is 400', refuses({ top_p: 1.1 })),
  check('4.2-15 8-43', 'chat: five stop sequences are 400', refuses({ stop: ['1', '2', '3', '4', '5'] })),
  marketCheck('4.2-15 8-43', 'chat: a stop sequence of 257 characters is 400', refuses({ stop: 'x'.repeat(257) })),
  check('4.2-15', 'chat: a stop sequence may be a string or a list of four', async (gateway) => {
    await takes({ stop: 'zzz' })(gateway);
    await takes({ stop: ['zzz', 'yyy', 'xxx', 'www'] })(gateway);
  }),
  marketCheck('4.2-16', 'chat: n 2 is 400', refuses({ n: 2 })),
  marketCheck('4.2-16', 'chat: best_of 2 is 400', refuses({ best_of: 2 })),
  check('4.2-16', 'chat: n 1 is accepted', takes({ n: 1 })),
  marketCheck(
    '4.1-5',
    'chat: optional fields may be null',
    takes({ temperature: null, top_p: null, stop: null, seed: null }),
  ),
  check('4.2-3', 'chat: no messages are 400', refuses({ messages: [] })),
  check('4.2-3', 'chat: a message without a role is 400', refuses({ messages: [{ content: 'Hello.' }] })),
  marketCheck(
    '4.2-3',
    'chat: a message with an empty role is 400',
    refuses({ messages: [{ role: '', content: 'Hello.' }] }),
  ),
  check(
    '4.2-4',
    'chat: content may be a list of parts',
    takes({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello.' }] }] }),
  ),
  check(
    '4.2-4 4.2-5',
    'chat: a call without content and its result are accepted',
    takes({ messages: CALLED, tools: [TOOL] }),
  ),
  check('4.2-17', 'chat: tools and a choice among them are accepted', takes({ tools: [TOOL], tool_choice: 'none' })),
  check(
    '4.2-19',
    'chat: a response format and a seed are accepted',
    takes({ response_format: { type: 'text' }, seed: 7 }),
  ),
  check(
    '4.2-20',
    'chat: user, metadata and cache keys are accepted',
    takes({ user: 'u', metadata: { a: 'b' }, prompt_cache_key: 'k', safety_identifier: 's' }),
  ),
  marketCheck(
    '4.1-6',
    'chat: a field that nobody knows is passed on, not refused',
    takes({ no_such_field: { deep: true } }),
  ),
  marketCheck('1-25 7-5', 'chat: a preview market is 400 model_preview', async (gateway) =>
    refused(await gateway.chat({ model: await otherModel(gateway, isPreview) }), 400, 'model_preview'),
  ),
];

const completion = async (gateway: Gateway) =>
  jsonWith(await gateway.once('completion', () => gateway.completion()), 200);
const completes = (fields: Json) => async (gateway: Gateway) =>
  carriedOut(await gateway.completion(fields), 'object', 'text_completion');
const completesNot = (fields: Json, code?: string) => async (gateway: Gateway) =>
  refused(await gateway.completion(fields), 400, code);

export const completions = [
  check('4.3-10 2.9-6', 'completions: text, a finish, and counts that add up', async (gateway) => {
    const body = await completion(gateway);
    isEqual(body, 'object', 'text_completion');
    assert.equal(typeof firstOf(body, 'choices').text, 'string');
    isOneOf(firstOf(body, 'choices'), 'finish_reason', ['stop', 'length']);
    const usage = objectIn(body, 'usage');
    isEqual(usage, 'total_tokens', countIn(usage, 'prompt_tokens') + countIn(usage, 'completion_tokens'));
  }),
  check('2.9-6', 'completions: an id, a time and the model', async (gateway) => {
    textIn(await completion(gateway), 'id');
    epochSecondsIn(await completion(gateway), 'created');
    textIn(await completion(gateway), 'model');
  }),
  check('2.9-6 4.3-7', 'completions: logprobs are null', async (gateway) =>
    isEqual(firstOf(await completion(gateway), 'choices'), 'logprobs', null),
  ),
  marketCheck('2.9-6 2.9-1', 'completions: usage has a receipt', async (gateway) =>
    hasFields(objectIn(objectIn(await completion(gateway), 'usage'), 'x_market'), 'order_id', 'charged_usd'),
  ),
  check('4.3-2', 'completions: a prompt may be a list of one', completes({ prompt: ['Once'] })),
  marketCheck('4.3-2', 'completions: a list of two prompts is 400', completesNot({ prompt: ['Once', 'Twice'] })),
  marketCheck('4.3-4', 'completions: an absent prompt counts as an empty one', async (gateway) => {
    const bid = gateway.priceLimit === null ? {} : { price_limit: gateway.priceLimit };
    const body = { model: gateway.model, max_tokens: 4, ...bid };
    jsonWith(await gateway.post('/v1/completions', body), 200);
  }),
  marketCheck('4.3-5', 'completions: tools are 400', completesNot({ tools: [TOOL] })),
  marketCheck('4.3-5', 'completions: tool_choice is 400', completesNot({ tool_choice: 'auto' })),
  marketCheck('4.3-5', 'completions: functions are 400', completesNot({ functions: [TOOL.function] })),
  marketCheck('4.3-5', 'completions: function_call is 400', completesNot({ function_call: 'auto' })),
  marketCheck('4.3-6 4.3-7', 'completions: logprobs, echo and suffix are accepted and do nothing', async (gateway) => {
    const body = await completes({ logprobs: 3, echo: true, suffix: 'end' })(gateway);
    isEqual(firstOf(body, 'choices'), 'logprobs', null);
  }),
  marketCheck(
    '4.3-8',
    'completions: max_completion_tokens is the cap where there is no max_tokens',
    async (gateway) => {
      const body = await completes({ max_tokens: null, max_completion_tokens: 1 })(gateway);
      assert.ok(countIn(objectIn(body, 'usage'), 'completion_tokens') <= 1, 'there are more tokens');
    },
  ),
  check('4.3-9 7-3', 'completions: a cap of 0 is 400', completesNot({ max_tokens: 0 })),
  marketCheck(
    '4.3-9 7-3',
    'completions: half a token is 400 invalid_output_cap',
    completesNot({ max_tokens: 1.5 }, 'invalid_output_cap'),
  ),
];
