/** Checks of the Messages shape and of counting its tokens. */
import assert from 'node:assert/strict';
import {
  carriedOut,
  check,
  countIn,
  firstOf,
  hasFields,
  isEqual,
  isOneOf,
  jsonWith,
  marketCheck,
  objectIn,
  refusedMessage,
  textIn,
} from './check.ts';
import { type Gateway, type HttpAnswer, type Json, SAY } from './gateway.ts';

const message = (gateway: Gateway) => gateway.once('message', async () => jsonWith(await gateway.message(), 200));
const usage = async (gateway: Gateway) => objectIn(await message(gateway), 'usage');

const takes =
  (fields: Json, headers: Record<string, string> = {}) =>
  async (gateway: Gateway) =>
    carriedOut(await gateway.message(fields, headers), 'type', 'message');
const refuses = (fields: Json) => async (gateway: Gateway) =>
  refusedMessage(await gateway.message(fields), 400, 'invalid_request_error');
const block = (content: Json) => ({ messages: [{ role: 'user', content: [content] }] });

const counted = (gateway: Gateway, content = 'How many tokens are these?'): Promise<HttpAnswer> => {
  const body = { model: gateway.model, messages: [{ role: 'user', content }] };
  return gateway.present(gateway.post('/v1/messages/count_tokens', body, { 'x-api-key': gateway.key }));
};

const TOOL = { name: 'look_up', description: 'Looks it up.', input_schema: { type: 'object', properties: {} } };
const TURN = [
  { role: 'user', content: 'Look it up.' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} }] },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Nothing.' }] },
];

export const messages = [
  check('4.5-29 2.9-9', 'messages: content, a stop reason, and counts', async (gateway) => {
    isEqual(await message(gateway), 'type', 'message');
    isEqual(await message(gateway), 'role', 'assistant');
    isOneOf(await message(gateway), 'stop_reason', ['end_turn', 'max_tokens']);
    firstOf(await message(gateway), 'content');
    for (const name of ['input_tokens', 'output_tokens'])
      assert.ok(countIn(await usage(gateway), name) > 0, `${name} is 0`);
  }),
  check('2.9-9', 'messages: an id, the model, and a stop sequence that is null', async (gateway) => {
    textIn(await message(gateway), 'id');
    textIn(await message(gateway), 'model');
    isEqual(await message(gateway), 'stop_sequence', null);
  }),
  marketCheck('2.9-9', 'messages: the id is msg_ and the order', async (gateway) => {
    const { order_id: order } = objectIn(await usage(gateway), 'x_market');
    isEqual(await message(gateway), 'id', `msg_${order}`);
  }),
  check('4.5-29', 'messages: the text is a block of type text', async (gateway) => {
    const content = firstOf(await message(gateway), 'content');
    isEqual(content, 'type', 'text');
    assert.equal(typeof content.text, 'string');
  }),
  check('4.5-31', 'messages: usage counts what was read from a cache', async (gateway) =>
    countIn(await usage(gateway), 'cache_read_input_tokens'),
  ),
  check('4.5-31', 'messages: nothing was written to a cache', async (gateway) =>
    isEqual(await usage(gateway), 'cache_creation_input_tokens', 0),
  ),
  marketCheck('4.5-31 2.9-1', 'messages: usage has a receipt', async (gateway) =>
    hasFields(objectIn(await usage(gateway), 'x_market'), 'order_id', 'pricing', 'level_at_execution', 'charged_usd'),
  ),
  check('4.5-30', 'messages: the stop reason of a cut answer is max_tokens', async (gateway) =>
    isEqual(await takes({ max_tokens: 1 })(gateway), 'stop_reason', 'max_tokens'),
  ),
  check('4.5-6', 'messages: max_tokens 0 is 400', refuses({ max_tokens: 0 })),
  check('4.5-5', 'messages: no max_tokens are 400', refuses({ max_tokens: undefined })),
  check('4.5-8', 'messages: no messages are 400', refuses({ messages: [] })),
  check('4.5-7', 'messages: the system prompt may be a text or blocks', async (gateway) => {
    await takes({ system: 'Be brief.' })(gateway);
    await takes({ system: [{ type: 'text', text: 'Be brief.' }] })(gateway);
  }),
  check('4.5-9 4.5-10', 'messages: calls and their results are accepted', takes({ messages: TURN, tools: [TOOL] })),
  check(
    '4.5-11 4.5-13',
    'messages: tools and a choice among them are accepted',
    takes({ tools: [TOOL], tool_choice: { type: 'none' } }),
  ),
  marketCheck(
    '4.5-12',
    'messages: keys of a tool that only its vendor knows are dropped',
    takes({ tools: [{ ...TOOL, cache_control: { type: 'ephemeral' } }], tool_choice: { type: 'none' } }),
  ),
  check('4.5-16', 'messages: top_k is accepted', takes({ top_k: 5 })),
  check(
    '4.5-17',
    'messages: four stop sequences are accepted',
    takes({ stop_sequences: ['zzz', 'yyy', 'xxx', 'www'] }),
  ),
  marketCheck(
    '4.5-17',
    'messages: five stop sequences are 400',
    refuses({ stop_sequences: ['1', '2', '3', '4', '5'] }),
  ),
  check('4.5-19', 'messages: a user id is accepted', takes({ metadata: { user_id: 'somebody' } })),
  marketCheck(
    '4.5-20',
    'messages: fields that do nothing are accepted',
    takes({ thinking: { type: 'disabled' }, context_management: {}, service_tier: 'auto' }),
  ),
  marketCheck(
    '4.5-2 9-3',
    'messages: any version and any beta are accepted',
    takes({}, { 'anthropic-version': '1999-01-01', 'anthropic-beta': 'no-such-beta' }),
  ),
  marketCheck(
    '4.5-25',
    'messages: a document is 400',
    refuses(block({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } })),
  ),
  marketCheck(
    '4.5-26',
    'messages: a tool with a built-in type is 400',
    refuses({ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
  ),
  marketCheck(
    '4.5-27',
    'messages: mcp_servers are 400',
    refuses({ mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'm' }] }),
  ),
  marketCheck('4.5-28', 'messages: detached is 400', refuses({ detached: true })),
  marketCheck('4.5-22', 'messages: a negative max_price is 400', refuses({ max_price: -1 })),
  check('4.5-32 4.5-33', 'messages: tokens are counted without an answer', async (gateway) =>
    assert.ok(countIn(jsonWith(await counted(gateway), 200), 'input_tokens') > 0),
  ),
  check('4.5-33', 'messages: a longer text has more tokens', async (gateway) => {
    const [few, many] = await Promise.all([counted(gateway), counted(gateway, 'How many are these? '.repeat(50))]);
    assert.ok(countIn(jsonWith(many, 200), 'input_tokens') > countIn(jsonWith(few, 200), 'input_tokens'), 'it has not');
  }),
  marketCheck('4.5-34', 'messages: counting tokens creates no order', async (gateway) =>
    assert.equal((await counted(gateway)).headers.get('x-service-order-id'), null),
  ),
  check('4.5-36 7-38', 'messages: counting nothing is 400 in the envelope of Anthropic', async (gateway) =>
    refusedMessage(
      await gateway.present(
        gateway.post('/v1/messages/count_tokens', { model: gateway.model }, { 'x-api-key': gateway.key }),
      ),
      400,
      'invalid_request_error',
    ),
  ),
  marketCheck('4.5-4', 'messages: without a model the default model answers', async (gateway) => {
    const { default: first } = jsonWith(await gateway.get('/v1/models'), 200);
    const bid = gateway.priceLimit === null ? {} : { max_price: gateway.priceLimit };
    const answer = await gateway.post('/v1/messages', { messages: SAY, max_tokens: 4, ...bid });
    isEqual(jsonWith(answer, 200), 'model', first);
  }),
];
