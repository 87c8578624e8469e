import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { batchOf, ended, entriesOf, line } from './support/batches.ts';
import { user } from './support/message.ts';
import { useServer } from './support/server.ts';

const LIMIT = { model: 'tide', price_limit: 5 };
const note = { role: 'system', content: 'Be brief.' };
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{"at":"sea"}' } })),
});
const output = (id: string, content = `of ${id}`) => ({ role: 'tool', tool_call_id: id, content });
const none = (id: string) => output(id, 'There is no output of this call.');

/** The same in the items of a response. */
const item = {
  note: { role: 'developer', content: 'Be brief.' },
  call: (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{"at":"sea"}' }),
  output: (id: string) => ({ type: 'function_call_output', call_id: id, output: `of ${id}` }),
};
/** The same in the blocks of a message. */
const block = {
  calls: (...ids: string[]) => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'look', input: { at: 'sea' } })),
  }),
  output: (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `of ${id}` }),
};

interface Conversation {
  readonly what: string;
  readonly chat: readonly object[];
  readonly responses: readonly object[];
  readonly messages: readonly object[];
  /** What the pod gets of each. */
  readonly read: readonly object[];
}

const conversations: readonly Conversation[] = [
  {
    what: 'a note between a call and its output',
    chat: [user('Look.'), calls('a'), { ...note, role: 'developer' }, output('a')],
    responses: [user('Look.'), item.call('a'), item.note, item.output('a')],
    messages: [user('Look.'), block.calls('a'), note, user([block.output('a')])],
    read: [user('Look.'), calls('a'), output('a'), note],
  },
  {
    what: 'a user message between two outputs',
    chat: [user('Look.'), calls('a', 'b'), output('a'), user('Well?'), output('b')],
    responses: [user('Look.'), item.call('a'), item.call('b'), item.output('a'), user('Well?'), item.output('b')],
    messages: [
      user('Look.'),
      block.calls('a', 'b'),
      user([block.output('a'), { type: 'text', text: 'Well?' }]),
      user([block.output('b')]),
    ],
    read: [user('Look.'), calls('a', 'b'), output('a'), output('b'), user('Well?')],
  },
  {
    what: 'calls that were never answered',
    chat: [user('Look.'), calls('a', 'b'), output('b'), user('Stop.'), calls('c')],
    responses: [user('Look.'), item.call('a'), item.call('b'), item.output('b'), user('Stop.'), item.call('c')],
    messages: [user('Look.'), block.calls('a', 'b'), user([block.output('b')]), user('Stop.'), block.calls('c')],
    read: [user('Look.'), calls('a', 'b'), none('a'), output('b'), user('Stop.'), calls('c'), none('c')],
  },
  {
    what: 'an output without a call',
    chat: [output('x'), user('Well?')],
    responses: [item.output('x'), user('Well?')],
    messages: [user([block.output('x')]), user('Well?')],
    read: [user('Output of a tool:\nof x'), user('Well?')],
  },
  {
    what: 'an id that comes twice in one turn',
    chat: [calls('a', 'a'), output('a'), output('a')],
    responses: [item.call('a'), item.call('a'), item.output('a'), item.output('a')],
    messages: [block.calls('a', 'a'), user([block.output('a'), block.output('a')])],
    read: [calls('a', 'a_1'), output('a'), output('a_1', 'of a')],
  },
  {
    what: 'a lone developer message',
    chat: [{ ...note, role: 'developer' }, user('Hi')],
    responses: [item.note, user('Hi')],
    messages: [note, user('Hi')],
    read: [note, user('Hi')],
  },
  {
    what: 'earlier reasoning',
    chat: [user('Hi'), { role: 'assistant', content: 'Calm.', reasoning_content: 'Hm.' }, user('Sure?')],
    responses: [
      user('Hi'),
      { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { role: 'assistant', content: 'Calm.' },
      user('Sure?'),
    ],
    messages: [
      user('Hi'),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'text', text: 'Calm.' },
        ],
      },
      user('Sure?'),
    ],
    read: [
      user('Hi'),
      { role: 'assistant', content: 'Calm.', reasoning_content: 'Hm.', reasoning: 'Hm.' },
      user('Sure?'),
    ],
  },
  {
    what: 'half an emoji',
    chat: [user('cut \ud83d'), user([{ type: 'text', text: '\ude00 and 😀' }])],
    responses: [user('cut \ud83d'), user([{ type: 'input_text', text: '\ude00 and 😀' }])],
    messages: [user('cut \ud83d'), user([{ type: 'text', text: '\ude00 and 😀' }])],
    read: [user('cut \ufffd'), user('\ufffd and 😀')],
  },
];

const OPERATIONS = { chat: 'createChatCompletion', responses: 'createResponse', messages: 'createMessage' } as const;
type Shape = keyof typeof OPERATIONS;
const SHAPES = Object.keys(OPERATIONS) as Shape[];
const bodyOf = (shape: Shape, conversation: Conversation): Record<string, unknown> => ({
  model: 'tide',
  ...(shape === 'chat' ? { messages: conversation.chat, price_limit: 5 } : {}),
  ...(shape === 'responses' ? { input: conversation.responses, price_limit: 5 } : {}),
  ...(shape === 'messages' ? { messages: conversation.messages, max_price: 5, max_tokens: 50 } : {}),
});

/** A text in one part reads like the text. */
const simple = (messages: unknown) =>
  (messages as { content: unknown }[]).map((one) => {
    const [part, ...others] = Array.isArray(one.content) ? (one.content as { text?: string }[]) : [];
    return part?.text !== undefined && others.length === 0 ? { ...one, content: part.text } : one;
  });

/** What clients send of a conversation reaches a pod as one conversation, whatever the shape and the way. */
describe('the conversation that a pod gets', () => {
  const server = useServer();
  const assertRead = (read: readonly object[]) => assert.deepEqual(simple(server.lastRequest().messages), read);

  for (const conversation of conversations)
    it(`200 ${conversation.what}, in each shape, whole, streamed, repeated and in the background`, async () => {
      for (const shape of SHAPES) {
        const id = OPERATIONS[shape];
        const body = bodyOf(shape, conversation);
        for (const stream of [false, true]) {
          assert.equal((await server.api.call(id, { body: { ...body, stream } })).status, 200);
          assertRead(conversation.read);
        }
        const headers = { 'idempotency-key': `${shape} ${conversation.what}` };
        const first = await server.api.call(id, { body, headers });
        const asked = server.backend.requests.length;
        const again = await server.api.call(id, { body, headers });
        assert.deepEqual([again.headers['idempotent-replayed'], again.text], ['true', first.text]);
        assert.equal(server.backend.requests.length, asked);
      }
      const detached = { ...bodyOf('chat', conversation), detached: true };
      (await server.api.call('createChatCompletion', { body: detached })).body(202);
      await server.orders({ queued: 0, executing: 0 });
      assertRead(conversation.read);
    });

  for (const shape of SHAPES)
    it(`200 the lines of a batch of ${shape}`, async () => {
      const endpoint = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' }[shape];
      const earlier = server.backend.requests.length;
      const lines = conversations.map((conversation) => {
        const { price_limit: _, max_price: __, ...body } = bodyOf(shape, conversation);
        return JSON.stringify({ custom_id: `${conversation.what} \ud83d`, method: 'POST', url: endpoint, body });
      });
      const batch = await ended(server, (await batchOf(server.api, lines, { endpoint })).id);
      const { output: answered } = await entriesOf(server.api, batch);
      const read = server.backend.requests.slice(earlier).map(({ body }) => JSON.stringify(simple(body.messages)));
      assert.deepEqual(read.toSorted(), conversations.map((one) => JSON.stringify(one.read)).toSorted());
      // An id is found again as it was sent.
      const ids = answered.map(({ custom_id }) => custom_id).toSorted();
      assert.deepEqual(ids, conversations.map(({ what }) => `${what} \ud83d`).toSorted());
    });

  it('200 an order that waited in the database', async () => {
    const [conversation] = conversations;
    assert.ok(conversation);
    const release = server.holdAnswers();
    const body = { ...bodyOf('chat', conversation), detached: true };
    for (let order = 0; order < 9; order++) (await server.api.call('createChatCompletion', { body })).body(202);
    await server.orders({ queued: 1, executing: 8 });
    const asked = server.backend.requests.length;
    release();
    await server.orders({ queued: 0, executing: 0 });
    assert.equal(server.backend.requests.length, asked + 1);
    assertRead(conversation.read);
  });

  it('400 for a call without the name of its function, naming the field, uncharged', async () => {
    const messages = [user('Look.'), { role: 'assistant', tool_calls: [{ id: 'a', function: { arguments: '{}' } }] }];
    const ask = () => server.api.call('createChatCompletion', { body: { ...LIMIT, messages } });
    const { param } = (await server.uncharged(ask)).refusal(400, 'invalid_request');
    assert.equal(param, 'messages[1].tool_calls[0].function.name');
  });
});

/** Outputs that Codex sends for tools which no item called. */
describe('an output without a call id', () => {
  const server = useServer();
  const ask = (input: object[]) => server.api.call('createResponse', { body: { ...LIMIT, input } });

  it('200 it reaches the model as text of the user, with its name', async () => {
    const sent = [user('Hi'), { type: 'function_call_output', name: 'plan', output: 'One step.' }];
    assert.equal((await ask(sent)).status, 200);
    assert.deepEqual(server.lastRequest().messages, [user('Hi'), user('Output of the tool plan:\nOne step.')]);
  });

  it('400 without a name', async () => {
    const { param } = (await ask([{ type: 'function_call_output', output: 'One step.' }])).refusal(
      400,
      'invalid_request',
    );
    assert.equal(param, 'input[0].call_id');
  });
});

describe('text that is not well-formed', () => {
  const server = useServer();
  const HALF = '\ud83d';
  const schema = { type: 'object', properties: { [`a${HALF}`]: { type: 'string', enum: [HALF] } } };
  const tool = { name: 'look', description: `At ${HALF}.` };
  const large = 'Large. '.repeat(50_000);
  const requests: readonly (readonly [OperationId, Record<string, unknown>])[] = [
    [
      'createChatCompletion',
      { ...LIMIT, messages: [user(HALF)], tools: [{ type: 'function', function: { ...tool, parameters: schema } }] },
    ],
    ['createChatCompletion', { ...LIMIT, messages: [user(large + HALF)], stop: [`x${HALF}`], user: HALF }],
    ['createCompletion', { ...LIMIT, prompt: HALF, stop: HALF }],
    [
      'createResponse',
      { ...LIMIT, instructions: HALF, input: HALF, tools: [{ type: 'function', ...tool, parameters: schema }] },
    ],
    [
      'createMessage',
      {
        ...{ model: 'tide', max_price: 5, max_tokens: 50, system: HALF, stop_sequences: [HALF] },
        messages: [
          user(HALF),
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: { a: HALF } }] },
        ],
        tools: [{ ...tool, input_schema: schema }],
      },
    ],
  ];

  for (const [id, body] of requests)
    it(`200 ${id} of ${JSON.stringify(body).length} bytes, and a repeat is the same order`, async () => {
      const headers = { 'idempotency-key': `${id} ${JSON.stringify(body).length}` };
      const first = await server.api.call(id, { body, headers });
      assert.equal(first.status, 200, first.text);
      const sent = server.backend.requests.at(-1)?.text ?? '';
      assert.ok(sent.includes('\ufffd') && !/\\\\*ud83d/.test(sent));
      assert.deepEqual(JSON.parse(sent).tools ?? [], body.tools ? [repaired(tool, schema)] : []);
      if (id === 'createCompletion') return;
      assert.equal((await server.api.call(id, { body, headers })).headers['idempotent-replayed'], 'true');
    });

  it('200 the arguments of an earlier call, which are JSON in a text', async () => {
    const [call] = calls('a').tool_calls;
    const broken = { ...call, function: { name: 'look', arguments: `{"at":"${String.raw`\ud83d`}"}` } };
    const messages = [{ role: 'assistant', content: null, tool_calls: [broken] }, output('a')];
    assert.equal((await server.api.call('createChatCompletion', { body: { ...LIMIT, messages } })).status, 200);
    const [{ tool_calls }] = server.lastRequest().messages as [ReturnType<typeof calls>];
    assert.deepEqual(JSON.parse(tool_calls[0]?.function.arguments ?? ''), { at: '\ufffd' });
  });

  function repaired(fields: object, parameters: object) {
    const text = JSON.stringify({ type: 'function', function: { ...fields, parameters } });
    return JSON.parse(text.replaceAll(String.raw`\ud83d`, '\ufffd'));
  }
});

describe('a body behind a byte order mark', () => {
  const server = useServer();
  const marked = (body: object) => `\ufeff${JSON.stringify(body)}`;

  it('200 on every route that takes JSON', async () => {
    const message = { model: 'tide', messages: [user('Hi')] };
    const requests: readonly (readonly [OperationId, object])[] = [
      ['createChatCompletion', { ...LIMIT, messages: [user('Hi')] }],
      ['createChatCompletion', { ...LIMIT, messages: [user('Large. '.repeat(50_000))] }],
      ['createCompletion', { ...LIMIT, prompt: 'Hi' }],
      ['createResponse', { ...LIMIT, input: 'Hi' }],
      ['createMessage', { ...message, max_price: 5, max_tokens: 50 }],
      ['countMessageTokens', message],
      ['updateAccount', { price_lock: false }],
      ['repriceOrders', { ids: ['00000000-0000-4000-8000-000000000000'], price_limit: 1 }],
    ];
    for (const [id, body] of requests) {
      const reply = await server.api.call(id, { raw: marked(body) });
      assert.equal(reply.status, 200, `${id}: ${reply.text}`);
    }
    const { input_file_id } = await batchOf(server.api, [line('a')]);
    const again = marked({ input_file_id, endpoint: '/v1/chat/completions', price_limit: 5, completion_window: '24h' });
    assert.equal((await server.api.call('createBatch', { raw: again })).status, 200);
  });

  it('400 for a mark alone', async () => {
    (await server.api.call('createChatCompletion', { raw: '\ufeff' })).refusal(400, 'invalid_json');
  });
});
