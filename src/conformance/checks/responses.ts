/** Checks of the Responses shape: the answer, what is echoed, what is dropped, and what is refused. */
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
} from './check.ts';
import { type Gateway, type Json, SAY } from './gateway.ts';

const response = (gateway: Gateway) => gateway.once('response', async () => jsonWith(await gateway.response(), 200));
const message = async (gateway: Gateway) => {
  const item = listIn(await response(gateway), 'output').find(({ type }) => type === 'message');
  assert.ok(item, 'the output has no message');
  return item;
};
const receipt = async (gateway: Gateway) => objectIn(objectIn(await response(gateway), 'usage'), 'x_market');

const takes = (fields: Json) => async (gateway: Gateway) =>
  carriedOut(await gateway.response(fields), 'object', 'response');
const refuses = (fields: Json, code?: string) => async (gateway: Gateway) =>
  refused(await gateway.response(fields), 400, code);
const echoes = (name: string, value: unknown) => async (gateway: Gateway) =>
  isEqual(jsonWith(await gateway.response({ [name]: value }), 200), name, value);
const part = (content: Json) => ({ input: [{ role: 'user', content: [content] }] });

const TOOL = { type: 'function', name: 'look_up', parameters: { type: 'object', properties: {} } };
const TURN = [
  { role: 'user', content: 'Look it up.' },
  { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'Nothing.' },
];
const cut = (gateway: Gateway) => gateway.once('cut response', () => gateway.response({ input: LONG }));
/** No model answers this with sixteen tokens. */
const LONG = 'Count from one to one thousand, in words.';

export const responses = [
  check('4.4-49 2.9-7', 'responses: a message in the output, completed or cut, and counts', async (gateway) => {
    isEqual(await response(gateway), 'object', 'response');
    isOneOf(await response(gateway), 'status', ['completed', 'incomplete']);
    firstOf(await response(gateway), 'output');
    const usage = objectIn(await response(gateway), 'usage');
    isEqual(usage, 'total_tokens', countIn(usage, 'input_tokens') + countIn(usage, 'output_tokens'));
  }),
  check('2.9-7', 'responses: times in seconds, and an end only of a completed one', async (gateway) => {
    const json = await response(gateway);
    epochSecondsIn(json, 'created_at');
    if (json.status === 'completed') epochSecondsIn(json, 'completed_at');
    else isEqual(json, 'completed_at', null);
  }),
  check('2.9-8', 'responses: every key is there, null without a value', async (gateway) =>
    hasFields(
      await response(gateway),
      ...['error', 'incomplete_details', 'instructions', 'tools', 'tool_choice', 'text', 'reasoning', 'temperature'],
      ...['top_p', 'parallel_tool_calls', 'truncation', 'store', 'metadata', 'max_output_tokens'],
      ...['previous_response_id', 'user', 'background', 'service_tier'],
    ),
  ),
  check('2.9-7', 'responses: the text is a part of type output_text', async (gateway) => {
    const content = firstOf(await message(gateway), 'content');
    isEqual(content, 'type', 'output_text');
    assert.equal(typeof content.text, 'string');
  }),
  marketCheck('2.9-7 4.4-57', 'responses: the id is resp_ and the order', async (gateway) =>
    isEqual(await response(gateway), 'id', `resp_${(await receipt(gateway)).order_id}`),
  ),
  marketCheck('4.4-53', 'responses: the id of the message is msg_ and the order', async (gateway) =>
    isEqual(await message(gateway), 'id', `msg_${(await receipt(gateway)).order_id}`),
  ),
  marketCheck('4.4-56 2.9-1', 'responses: usage has a receipt', async (gateway) =>
    countIn(await receipt(gateway), 'charged_usd'),
  ),
  check('4.4-55', 'responses: usage counts the tokens from the cache as part of the input', async (gateway) => {
    const usage = objectIn(await response(gateway), 'usage');
    const cached = countIn(objectIn(usage, 'input_tokens_details'), 'cached_tokens');
    assert.ok(cached <= countIn(usage, 'input_tokens'), `${cached} are more than all`);
  }),
  check('4.4-50', 'responses: a cut answer is incomplete, because of max_output_tokens', async (gateway) => {
    const json = jsonWith(await cut(gateway), 200);
    isEqual(json, 'status', 'incomplete');
    isEqual(objectIn(json, 'incomplete_details'), 'reason', 'max_output_tokens');
  }),
  check('4.4-4', 'responses: input may be a list of messages', takes({ input: SAY })),
  marketCheck('4.4-3', 'responses: without a model the default model answers', async (gateway) => {
    const { default: first } = jsonWith(await gateway.get('/v1/models'), 200);
    const bid = gateway.priceLimit === null ? {} : { price_limit: gateway.priceLimit };
    const answer = await gateway.post('/v1/responses', { input: 'Hello.', max_output_tokens: 16, ...bid });
    isEqual(jsonWith(answer, 200), 'model', first);
  }),
  check('4.4-5', 'responses: input may have calls and their outputs', takes({ input: TURN, tools: [TOOL] })),
  check('4.4-6 2.9-7', 'responses: instructions are echoed', echoes('instructions', 'Be brief.')),
  check('4.4-22 4.4-23', 'responses: metadata is echoed', echoes('metadata', { a: 'b' })),
  check('4.4-26', 'responses: store is echoed', echoes('store', false)),
  check('4.4-31', 'responses: user is echoed', echoes('user', 'somebody')),
  check('4.4-21', 'responses: parallel_tool_calls is echoed', echoes('parallel_tool_calls', false)),
  check('4.4-18', 'responses: the verbosity of the text is echoed', async (gateway) =>
    isEqual(objectIn(await takes({ text: { verbosity: 'low' } })(gateway), 'text'), 'verbosity', 'low'),
  ),
  check('4.4-17', 'responses: the format of the text is text unless another is named', async (gateway) =>
    isEqual(objectIn(objectIn(await response(gateway), 'text'), 'format'), 'type', 'text'),
  ),
  check('4.4-8', 'responses: tools are accepted and echoed', async (gateway) =>
    isEqual(firstOf(await takes({ tools: [TOOL], tool_choice: 'none' })(gateway), 'tools'), 'name', 'look_up'),
  ),
  marketCheck(
    '4.4-9',
    'responses: tools of other types are dropped',
    takes({ tools: [{ type: 'web_search' }, { type: 'file_search', vector_store_ids: ['v'] }] }),
  ),
  marketCheck(
    '4.4-12',
    'responses: a choice of a dropped tool is auto',
    takes({ tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }),
  ),
  marketCheck(
    '4.4-32',
    'responses: fields that do nothing are accepted',
    takes({
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      safety_identifier: 's',
      service_tier: 'flex',
      max_tool_calls: 3,
      top_logprobs: 2,
      stream_options: {},
      client_metadata: { a: 'b' },
    }),
  ),
  check('4.4-14', 'responses: a temperature over 2 is 400', refuses({ temperature: 2.1 })),
  check('4.4-15', 'responses: a top_p over 1 is 400', refuses({ top_p: 1.1 })),
  marketCheck(
    '4.4-22 8-29',
    'responses: seventeen pairs of metadata are 400',
    refuses({ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, 'v'])) }),
  ),
  marketCheck(
    '4.4-22 8-30',
    'responses: a key of metadata of 65 characters is 400',
    refuses({ metadata: { ['k'.repeat(65)]: 'v' } }),
  ),
  marketCheck(
    '4.4-22 8-31',
    'responses: a value of metadata of 513 characters is 400',
    refuses({ metadata: { k: 'v'.repeat(513) } }),
  ),
  marketCheck('4.4-1 4.4-42', 'responses: previous_response_id is 400', refuses({ previous_response_id: 'resp_1' })),
  marketCheck('4.4-42', 'responses: conversation is 400', refuses({ conversation: 'conv_1' })),
  marketCheck('4.4-43', 'responses: background is 400', refuses({ background: true })),
  marketCheck('4.4-44', 'responses: prompt is 400', refuses({ prompt: { id: 'pmpt_1' } })),
  marketCheck('4.4-45', 'responses: truncation auto is 400', refuses({ truncation: 'auto' })),
  marketCheck('4.4-46', 'responses: detached is 400', refuses({ detached: true })),
  marketCheck(
    '4.4-47',
    'responses: a part input_file is 400',
    refuses(part({ type: 'input_file', file_id: 'file-1' })),
  ),
  marketCheck(
    '4.4-47',
    'responses: a part input_audio is 400',
    refuses(part({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } })),
  ),
  marketCheck(
    '4.4-47',
    'responses: an image by file_id is 400',
    refuses(part({ type: 'input_image', file_id: 'file-1' })),
  ),
  marketCheck(
    '4.4-48',
    'responses: an item_reference is 400',
    refuses({ input: [{ type: 'item_reference', id: 'msg_1' }] }),
  ),
  marketCheck(
    '4.4-48',
    'responses: a call of a hosted tool is 400',
    refuses({ input: [{ type: 'web_search_call', id: 'ws_1', status: 'completed' }] }),
  ),
];
