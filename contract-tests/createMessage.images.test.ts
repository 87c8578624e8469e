import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { batchOf, ended, entriesOf, line } from './support/batches.ts';
import { LOOK, message, user } from './support/message.ts';
import { useServer } from './support/server.ts';

/** One transparent pixel. */
const DATA = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: DATA } };
const photo = { type: 'image', source: { type: 'url', url: 'https://a.example/b.jpg' } };
const chatImage = { type: 'image_url', image_url: { url: `data:image/png;base64,${DATA}` } };
const chatPhoto = { type: 'image_url', image_url: { url: 'https://a.example/b.jpg' } };
const asked = [user([{ type: 'text', text: 'What is this?' }, image, photo])];
/** How Claude Code shows a picture that it has read. */
const shown = [
  user('Look at a.png.'),
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'a.png' } }] },
  user([{ type: 'tool_result', tool_use_id: 'toolu_1', content: [image] }]),
];

/** In the test configuration `harbor` has `accepts_images`, and `tide` has not. */
describe('images in POST /v1/messages', () => {
  const server = useServer();
  const ask = (fields: object) => server.api.call('createMessage', { body: message({ tools: [LOOK], ...fields }) });
  const count = async (messages: object[], model: string) => {
    const { max_tokens, ...body } = message({ tools: [LOOK], messages, model });
    return server.api.call('countMessageTokens', { body });
  };

  for (const stream of [false, true])
    it(`200 they reach a model that accepts them, ${stream ? 'streamed' : 'whole'}`, async () => {
      assert.equal((await ask({ model: 'harbor', messages: asked, stream })).status, 200);
      assert.deepEqual(server.lastRequest().messages, [
        user([{ type: 'text', text: 'What is this?' }, chatImage, chatPhoto]),
      ]);
      assert.equal((await ask({ model: 'harbor', messages: shown, stream })).status, 200);
      const sent = server.lastRequest().messages as object[];
      assert.deepEqual(sent.slice(-2), [{ role: 'tool', tool_call_id: 'toolu_1', content: '' }, user([chatImage])]);
    });

  it('400 for a model that does not, naming the image, with nothing sent and nothing charged', async () => {
    const sent = server.backend.requests.length;
    for (const [messages, place] of [
      [asked, 'messages[0].content[1]'],
      [shown, 'messages[2].content[0].content[0]'],
    ] as const)
      for (const reply of [
        await server.uncharged(() => ask({ messages })),
        await server.uncharged(() => ask({ messages, stream: true })),
        await count([...messages], 'tide'),
      ])
        assert.ok(reply.refusal(400, 'invalid_request').message.startsWith(`${place}: tide takes no images`));
    assert.equal(server.backend.requests.length, sent);
  });

  it('a picture of a megabyte is treated the same', async () => {
    const data = DATA.repeat(1_000_000 / DATA.length);
    const messages = [user([{ ...image, source: { ...image.source, data } }])];
    const place = 'messages[0].content[0]';
    for (const reply of [await ask({ messages }), await count(messages, 'tide')])
      assert.ok(reply.refusal(400, 'invalid_request').message.startsWith(place));
    (await ask({ model: 'harbor', messages })).body(200);
    const url = `data:image/png;base64,${data}`;
    assert.deepEqual(server.lastRequest().messages, [user([{ type: 'image_url', image_url: { url } }])]);
    const small = (await count([user([image])], 'harbor')).body(200);
    assert.deepEqual((await count(messages, 'harbor')).body(200), small);
  });

  it('the model is checked before the image, and the image before the price', async () => {
    const messages = asked;
    (await ask({ messages, model: 'nobody' })).refusal(404, 'model_not_found');
    (await ask({ messages, model: 'surge' })).refusal(400, 'model_preview');
    (await ask({ messages, max_price: undefined })).refusal(400, 'invalid_request');
  });

  it('400 for an image that no model could be sent', async () => {
    for (const source of [{ type: 'file', file_id: 'f' }, { type: 'url', url: 'file:///etc/passwd' }, undefined])
      (await ask({ model: 'harbor', messages: [user([{ type: 'image', source }])] })).refusal(400, 'invalid_request');
    (await ask({ model: 'harbor', messages: [user([{ type: 'document' }])] })).refusal(400, 'invalid_request');
  });

  it('200 count_tokens counts them as the stream does, each the same', async () => {
    const counted = (await count(asked, 'harbor')).body(200).input_tokens;
    const streamed = await ask({ model: 'harbor', messages: asked, stream: true });
    assert.equal(JSON.parse(streamed.frames[0]?.data ?? '').message.usage.input_tokens, counted);
    const text = { type: 'text', text: 'What is this?' };
    const [none, one] = [[user([text])], [user([text, image])]];
    const each =
      (await count(one, 'harbor')).body(200).input_tokens - (await count(none, 'harbor')).body(200).input_tokens;
    assert.ok(each >= 750 && each < 800, `${each} tokens`);
    assert.equal(counted - (await count(one, 'harbor')).body(200).input_tokens, each);
  });

  it('a line of a batch is refused as the same request is', async () => {
    const fields = { url: '/v1/messages' };
    const body = { ...message({ messages: asked }), max_tokens: 64 };
    const lines = [line('no', body, fields), line('yes', { ...body, model: 'harbor' }, fields)];
    const { id } = await batchOf(server.api, lines, { endpoint: '/v1/messages' });
    const { output, errors } = await entriesOf(server.api, await ended(server, id));
    assert.deepEqual(
      [output.map(({ custom_id }) => custom_id), errors.map(({ custom_id }) => custom_id)],
      [['yes'], ['no']],
    );
    assert.equal(errors[0]?.error?.code, 'invalid_request');
  });

  it('GET /v1/models says which models accept them', async () => {
    const { data } = (await server.api.call('listModels')).body(200);
    assert.deepEqual(
      data.filter(({ accepts_images }) => accepts_images).map(({ id }) => id),
      ['harbor'],
    );
  });
});
