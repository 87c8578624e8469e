/**
 * Generated requests and generated backends, over HTTP, through all four shapes: a 4xx or a clean error in the stream,
 * never an internal error and never a request that hangs. Seeded and bounded, so a failure can be repeated.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkChatStream, checkCompletionStream } from '#conformance/streams/chat-stream-checker.ts';
import { checkMessagesStream } from '#conformance/streams/messages-stream-checker.ts';
import { checkResponsesStream } from '#conformance/streams/responses-stream-checker.ts';
import type { OperationId } from '#generated/operations.ts';
import { backendStreams } from '#testing/backend-streams.ts';
import { cannedReply, chunkOf, frameOf, type MockReply } from '#testing/mock-backend.ts';
import { chat } from './support/chat.ts';
import { message } from './support/message.ts';
import type { Reply } from './support/reply.ts';
import { useServer } from './support/server.ts';

const RUNS = { seed: 3, numRuns: 20 };

/** A nearly right value: usually `right`, sometimes another value, or absent. */
const nearly = (right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 20, arbitrary: right },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
/** An object whose fields are nearly right. */
const loose = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, nearly(value)])));
/** Up to two of the fields, nearly right. */
const someOf = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .subarray(Object.entries(fields), { minLength: 1, maxLength: 2 })
    .chain((chosen) => loose(Object.fromEntries(chosen)));
const few = (item: fc.Arbitrary<unknown>) => fc.array(nearly(item), { maxLength: 3 });

const word = fc.string({ unit: 'binary', maxLength: 8 });
const role = fc.constantFrom('user', 'assistant', 'system', 'developer', 'tool');
const id = fc.constantFrom('a', 'b', '');
const json = fc.constantFrom('{}', '{"at":"sea"}', '{"at":', '[]', '');
const schema = fc.constant({ type: 'object', properties: { at: { type: 'string' } } });
const called = loose({ name: fc.constantFrom('look', 'listen', ''), arguments: json });
const call = loose({ id, type: fc.constant('function'), function: called });
const part = loose({
  type: fc.constantFrom('text', 'input_text', 'output_text', 'refusal', 'image_url', 'input_image', 'tool_reference'),
  text: word,
  image_url: word,
});
const content = fc.oneof(word, few(part));
const block = loose({
  type: fc.constantFrom('text', 'tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'image'),
  text: word,
  thinking: word,
  id,
  name: fc.constant('look'),
  input: fc.constant({}),
  tool_use_id: id,
  content,
});
const item = loose({
  type: fc.constantFrom('message', 'function_call', 'function_call_output', 'reasoning', 'item_reference'),
  role,
  content,
  call_id: id,
  name: fc.constant('look'),
  arguments: json,
  output: content,
  summary: few(part),
});
const sampling = {
  model: fc.constantFrom('tide', 'tide-latest', 'harbor', 'surge', 'nobody'),
  temperature: fc.constantFrom(0, 2, 2.1),
  top_p: fc.constantFrom(0, 1),
  stop: fc.oneof(word, few(word)),
  metadata: fc.dictionary(word, word, { maxKeys: 3 }),
  price_lock: fc.constant(false),
  store: fc.boolean(),
  retention_days: fc.nat(40),
  user: word,
};

interface Shape {
  readonly id: OperationId;
  readonly body: Record<string, unknown>;
  readonly fields: Record<string, fc.Arbitrary<unknown>>;
  /** Throws when a stream breaks a promise of the shape. */
  readonly check: (text: string) => unknown;
}

const caps = { max_tokens: fc.constantFrom(1, 64, 0, 1e9), max_completion_tokens: fc.constantFrom(1, 64, 1.5) };
const tool = loose({
  type: fc.constant('function'),
  function: loose({ name: fc.constant('look'), parameters: schema }),
});
const ownTool = loose({
  type: fc.constantFrom('function', 'custom'),
  name: id,
  parameters: schema,
  input_schema: schema,
});
const turn = loose({ role, content, tool_calls: few(call), tool_call_id: id, name: word });
const options = loose({ include_usage: fc.boolean() });
const choice = fc.oneof(fc.constantFrom('auto', 'none', 'required'), loose({ type: word, name: id, function: called }));
const shapes: readonly Shape[] = [
  {
    id: 'createChatCompletion',
    body: chat(),
    fields: {
      ...sampling,
      ...caps,
      messages: few(turn),
      tools: few(tool),
      tool_choice: choice,
      stream_options: options,
    },
    check: checkChatStream,
  },
  {
    id: 'createCompletion',
    body: { model: 'tide', prompt: 'Hi', price_limit: 5 },
    fields: { ...sampling, ...caps, prompt: fc.oneof(word, few(word)), stream_options: options, logprobs: fc.nat(9) },
    check: checkCompletionStream,
  },
  {
    id: 'createResponse',
    body: { model: 'tide', input: 'Hi', price_limit: 5 },
    fields: {
      ...sampling,
      input: fc.oneof(word, few(item)),
      instructions: fc.oneof(word, few(item)),
      tools: few(ownTool),
      tool_choice: choice,
      text: loose({ format: loose({ type: fc.constantFrom('text', 'json_schema'), name: id, schema }) }),
      reasoning: loose({ effort: word, summary: word }),
      include: few(word),
      max_output_tokens: caps.max_tokens,
    },
    check: checkResponsesStream,
  },
  {
    id: 'createMessage',
    body: message(),
    fields: {
      ...sampling,
      max_tokens: caps.max_tokens,
      messages: few(loose({ role, content: fc.oneof(word, few(block)) })),
      system: fc.oneof(word, few(part)),
      tools: few(ownTool),
      tool_choice: choice,
      thinking: loose({ type: word, budget_tokens: fc.nat() }),
      stop_sequences: few(word),
    },
    check: (text) => checkMessagesStream(text, { brokenInputs: true }),
  },
];

const FINISH = frameOf(chunkOf({}, { finish_reason: 'stop' }));
const delta = loose({
  role: fc.constant('assistant'),
  content: word,
  reasoning: word,
  tool_calls: few(loose({ index: fc.nat(2), id, function: called })),
});
const answered = loose({
  delta,
  finish_reason: fc.constantFrom(null, null, 'stop', 'length', 'tool_calls', 'content_filter'),
  logprobs: loose({ content: few(word) }),
});
const counts = loose({ prompt_tokens: fc.nat(5000), completion_tokens: fc.nat(500), prompt_tokens_details: loose({}) });
const chunk = loose({ choices: fc.array(answered, { minLength: 1, maxLength: 2 }), usage: counts });
/** Streams of nearly right chunks, damaged recorded streams, and random bytes; ended normally, early or by a reset. */
const replies: fc.Arbitrary<MockReply> = fc.record({
  writes: fc.oneof(
    fc.array(chunk, { maxLength: 6 }).map((chunks) => [...chunks.map(frameOf), FINISH, 'data: [DONE]\n\n']),
    fc
      .record({ stream: fc.constantFrom(...backendStreams), at: fc.nat(400), drop: fc.nat(9) })
      .map(({ stream: { text }, at, drop }) => [text.slice(0, at), text.slice(at + drop)]),
    fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 }),
  ),
  after: fc.constantFrom('end' as const, 'reset' as const),
  status: fc.constantFrom(200, 200, 200, 200, 400, 429, 500),
});

for (const { id: operation, body, fields, check } of shapes)
  describe(`generated input through ${operation}`, () => {
    const server = useServer();
    const ask = (sent: object, stream: boolean) =>
      server.passTimeUntil(server.api.call(operation, { body: { ...body, ...sent, stream } }));
    const checkEnd = (reply: Reply) => {
      if (reply.headers['content-type']?.startsWith('text/event-stream')) check(reply.text);
    };

    it('200, 400 or 404 for generated bodies, and whole streams', async () => {
      server.answer(cannedReply());
      await fc.assert(
        fc.asyncProperty(someOf(fields), fc.boolean(), async (more, stream) => {
          const reply = await ask(more, stream);
          assert.ok([200, 400, 404].includes(reply.status), `${reply.status} ${reply.text}`);
          checkEnd(reply);
        }),
        { ...RUNS, numRuns: 60 },
      );
    });

    it('200, 400, 408 or 502 for generated backends, and a stream that ends as its shape requires', async () => {
      await fc.assert(
        fc.asyncProperty(replies, fc.boolean(), async (reply, stream) => {
          server.answer(reply);
          // A backend that reports itself full gets no more requests for a while, and the order waits.
          const answer = await ask({ max_wait: 30 }, stream);
          assert.ok([200, 400, 408, 502].includes(answer.status), `${answer.status} ${answer.text}`);
          checkEnd(answer);
          await server.orders({ queued: 0, executing: 0 });
        }),
        RUNS,
      );
      server.answer(cannedReply());
      assert.equal((await ask({}, false)).status, 200);
    });

    it('200 or 502 for a silent backend', async () => {
      server.answer({ writes: [], instead: 'hang' });
      for (const stream of [false, true]) {
        const sent = server.api.call(operation, { body: { ...body, stream, max_wait: 86_400 } });
        const reply = await server.uncharged(() => server.passTimeUntil(sent, 10_000));
        assert.equal(reply.status, stream ? 200 : 502, reply.text);
        checkEnd(reply);
      }
      server.answer(cannedReply());
    });
  });
