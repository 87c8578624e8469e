import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkResponsesStream } from '#conformance/streams/responses-stream-checker.ts';
import { chunkOf, streamOf, usageOf } from '#testing/mock-backend.ts';
import { batchOf, ended, entriesOf } from './support/batches.ts';
import { user } from './support/message.ts';
import { useServer } from './support/server.ts';

const PATCH = '*** Begin Patch\n*** Add File: a.txt\n+"calm" 🌊\n*** End Patch';
/** As Codex sends it. */
const APPLY_PATCH = {
  type: 'custom',
  name: 'apply_patch',
  description: 'Edits files.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch hunk+ end_patch' },
};
const LOOK = { type: 'function', name: 'look', description: null, parameters: { type: 'object' }, strict: null };

/** The model calls one tool of each kind; the arguments come in pieces. */
const pieces = (text: string) => text.match(/.{1,7}/gs) ?? [];
const call = (index: number, name: string, text: string) => [
  chunkOf({ tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name, arguments: '' } }] }),
  ...pieces(text).map((piece) => chunkOf({ tool_calls: [{ index, function: { arguments: piece } }] })),
];
const answered = streamOf([
  ...call(0, 'apply_patch', JSON.stringify({ input: PATCH })),
  ...call(1, 'look', '{}'),
  chunkOf({}, { finish_reason: 'tool_calls' }),
  { ...chunkOf({}), choices: [], usage: usageOf({ prompt: 12, cached: 4, output: 40 }) },
]);

/** In the test configuration `harbor` has `custom_tools: as_functions`, and `tide` has not. */
describe('custom tools in POST /v1/responses', () => {
  const server = useServer();
  const bodyOf = (fields: object = {}) => ({
    model: 'harbor',
    input: 'Add a file.',
    tools: [APPLY_PATCH, { type: 'web_search' }, LOOK],
    ...fields,
  });
  const ask = (fields: object = {}, headers = {}) =>
    server.api.call('createResponse', { body: bodyOf(fields), headers });
  const assertItems = (output: readonly unknown[], orderId: unknown) =>
    assert.deepEqual(output, [
      {
        ...{ id: `ctc_${orderId}_0`, type: 'custom_tool_call', status: 'completed' },
        ...{ call_id: 'c0', name: 'apply_patch', input: PATCH },
      },
      {
        ...{ id: `fc_${orderId}_1`, type: 'function_call', status: 'completed' },
        ...{ call_id: 'c1', name: 'look', arguments: '{}' },
      },
    ]);

  it('200 the model gets a function of one text, and the response has the call of the custom tool', async () => {
    server.answer(answered);
    const reply = await ask({ tool_choice: { type: 'custom', name: 'apply_patch' } });
    const { output, tools } = reply.body(200);
    const { tools: sent, tool_choice, x_custom_tools } = server.lastRequest();
    assert.partialDeepStrictEqual(sent, [
      {
        type: 'function',
        function: {
          name: 'apply_patch',
          description: 'Edits files.\n\nThe input follows this lark grammar:\nstart: begin_patch hunk+ end_patch',
          parameters: { type: 'object', required: ['input'] },
        },
      },
      { type: 'function', function: { name: 'look' } },
    ]);
    assert.deepEqual(
      [tool_choice, x_custom_tools],
      [{ type: 'function', function: { name: 'apply_patch' } }, undefined],
    );
    assert.deepEqual(tools, [APPLY_PATCH, LOOK]);
    assertItems(output, reply.orderId);
  });

  it('200 the same streamed, repeated, read later and followed', async () => {
    server.answer(answered);
    const streamed = await ask({ stream: true });
    assertItems(checkResponsesStream(streamed.text).output, streamed.orderId);
    const headers = { 'idempotency-key': 'patch' };
    const first = await ask({}, headers);
    assertItems((await ask({}, headers)).body(200).output, first.orderId);
    assertItems(checkResponsesStream((await ask({ stream: true }, headers)).text).output, first.orderId);
    const result = await server.api.call('getOrderResult', { params: { id: first.orderId } });
    assertItems((result.body(200).body as { output: unknown[] }).output, first.orderId);
    const followed = await server.api.call('streamOrder', { params: { id: first.orderId } });
    assertItems(checkResponsesStream(followed.text.replaceAll(/^id: \d+\n/gm, '')).output, first.orderId);
  });

  it('200 in a large request, and in the line of a batch', async () => {
    server.answer(answered);
    const large = await ask({ instructions: 'Large. '.repeat(50_000) });
    assertItems(large.body(200).output, large.orderId);
    assert.deepEqual(large.body(200).tools, [APPLY_PATCH, LOOK]);
    const endpoint = '/v1/responses';
    const line = JSON.stringify({ custom_id: 'a', method: 'POST', url: endpoint, body: bodyOf() });
    const batch = await ended(server, (await batchOf(server.api, [line], { endpoint })).id);
    const [entry] = (await entriesOf(server.api, batch)).output;
    assertItems(entry?.response?.body.output as unknown[], entry?.response?.request_id);
  });

  it('200 the next turn has the call and its output', async () => {
    const input = [
      user('Add a file.'),
      { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c0', name: 'apply_patch', input: PATCH, status: 'completed' },
      { type: 'custom_tool_call_output', call_id: 'c0', output: 'Done.' },
    ];
    for (const model of ['harbor', 'tide']) {
      assert.equal((await ask({ input, model, price_limit: 5 })).status, 200);
      const called = { name: 'apply_patch', arguments: JSON.stringify({ input: PATCH }) };
      assert.deepEqual(server.lastRequest().messages, [
        user('Add a file.'),
        { role: 'assistant', content: null, tool_calls: [{ id: 'c0', type: 'function', function: called }] },
        { role: 'tool', tool_call_id: 'c0', content: 'Done.' },
      ]);
    }
  });

  it('200 a model that does not take them gets none, and a call of that name is a function call', async () => {
    server.answer(answered);
    const { output, tools } = (await ask({ model: 'tide', price_limit: 5 })).body(200);
    assert.deepEqual(server.lastRequest().tools, [
      { type: 'function', function: { name: 'look', parameters: { type: 'object' } } },
    ]);
    assert.deepEqual(tools, [LOOK]);
    assert.deepEqual(
      output.map(({ type }) => type),
      ['function_call', 'function_call'],
    );
  });

  it('400 for a custom tool without a name, naming it', async () => {
    const { param } = (await ask({ tools: [{ type: 'custom' }] })).refusal(400, 'invalid_request');
    assert.equal(param, 'tools[0].name');
  });
});
