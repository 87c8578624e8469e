import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OperationId } from '#generated/operations.ts';
import { type BackendStream, recordedStreams } from '#testing/backend-streams.ts';
import { failedStreams, oddStreams } from '#testing/odd-streams.ts';
import { type AnswerReading, shapeRows } from '#testing/shape-rows.ts';
import { batchOf, ended, entriesOf, line } from '../support/batches.ts';
import { chargeOf, chat, pricesAt } from '../support/chat.ts';
import { useServer } from '../support/server.ts';
import { corpus } from './corpus.ts';

const RATIO = { cached: 0.1, uncached: 1, output: 4 };
const OPERATIONS: Readonly<Record<string, OperationId>> = {
  chat: 'createChatCompletion',
  completion: 'createCompletion',
  responses: 'createResponse',
  messages: 'createMessage',
};
const streams: readonly BackendStream[] = [...corpus, ...oddStreams, ...recordedStreams];

/** Whatever an engine streams is the same answer in every shape, whole, streamed and read later, at the same charge. */
describe('what engines stream', () => {
  const server = useServer();
  const [chatRow, ...rows] = shapeRows;
  assert.ok(chatRow);
  const chatBody = chat({ ...chatRow.body, max_tokens: 512 });

  for (const stream of streams)
    it(`200 ${stream.name}`, async () => {
      server.answer({ writes: [stream.text] });
      const readings: AnswerReading[] = [];
      for (const { kind, body, priceField, readObject, readStream } of [chatRow, ...rows]) {
        const id = OPERATIONS[kind];
        assert.ok(id);
        const asked = { model: 'tide', ...body, [priceField]: 5, ...(kind === 'responses' ? {} : { max_tokens: 512 }) };
        const whole = await server.api.call(id, { body: asked });
        const { text } = await server.api.call(id, { body: { ...asked, stream: true } });
        const [first, second] = [readObject(JSON.parse(whole.text)), readStream(text)];
        for (const reading of [first, second]) assertReading(reading, stream, { calls: kind !== 'completion' });
        assert.equal(finishOf(first), finishOf(second));
        if (kind === 'chat') assertInTurn(text);
        readings.push(first, second);
      }
      const later = await readLater(stream);
      for (const reading of later) assertReading(reading, stream, { calls: true });
      for (const { finish } of [...readings.slice(0, 2), ...later]) assert.equal(finish, stream.answer.finishReason);
      const charges = [...readings, ...later].map(({ receipt }) => (receipt as { charged_usd: number }).charged_usd);
      // Without a usage each shape has an estimate of its own prompt.
      if (stream.usage) assert.equal(new Set(charges).size, 1);
    });

  /** A detached order by its result and as a stream, and a request that is repeated with its key as a stream. */
  async function readLater({ name }: BackendStream): Promise<AnswerReading[]> {
    assert.ok(chatRow);
    const { id } = (await server.api.call('createChatCompletion', { body: { ...chatBody, detached: true } })).body(202);
    await server.orders({ queued: 0, executing: 0 });
    const result = await server.api.call('getOrderResult', { params: { id } });
    const followed = await server.api.call('streamOrder', { params: { id } });
    const headers = { 'idempotency-key': name.replaceAll(/\W/g, '-') };
    const first = await server.api.call('createChatCompletion', { body: chatBody, headers });
    const again = await server.api.call('createChatCompletion', { body: { ...chatBody, stream: true }, headers });
    return [
      chatRow.readObject(result.body(200).body as Record<string, unknown>),
      // A stream that can be followed numbers its events.
      chatRow.readStream(followed.text.replaceAll(/^id: \d+\n/gm, '')),
      chatRow.readObject(JSON.parse(first.text)),
      chatRow.readStream(again.text.replaceAll(/^id: \d+\n/gm, '')),
    ];
  }

  it('200 the lines of a batch', async () => {
    server.answer(() => {
      const [asked] = server.lastRequest().messages as { content: string }[];
      return { writes: [streams[Number(asked?.content)]?.text ?? ''] };
    });
    const lines = streams.map((_, index) =>
      line(`${index}`, { messages: [{ role: 'user', content: `${index}` }], max_tokens: 512 }),
    );
    const batch = await ended(server, (await batchOf(server.api, lines)).id);
    const { output } = await entriesOf(server.api, batch);
    assert.equal(output.length, streams.length);
    for (const { custom_id, response } of output) {
      const stream = streams[Number(custom_id)];
      assert.ok(stream && response);
      assertReading(chatRow.readObject(response.body), stream, { calls: true });
    }
  });

  it('502 for a stream that the engine gave up, uncharged', async () => {
    const failed = failedStreams.find(({ name }) => name.includes('insufficient_system_resource'));
    assert.ok(failed);
    server.answer({ writes: [failed.text] });
    const ask = () => server.passTimeUntil(server.api.call('createChatCompletion', { body: chatBody }));
    (await server.uncharged(ask)).refusal(502, 'backend_error');
  });
});

/** Clients take a change of the index as the end of a call. */
function assertInTurn(text: string): void {
  const indexes = [...text.matchAll(/"tool_calls":\[\{"index":(\d+)/g)].map(([, index]) => Number(index));
  assert.deepEqual(
    indexes,
    indexes.toSorted((a, b) => a - b),
  );
}

/** The finish without the id of the order, which is part of the ids of items. */
function finishOf({ id, finish }: AnswerReading): string {
  return JSON.stringify(finish).replaceAll(id.slice(id.indexOf('_') + 1), '');
}

function assertReading(reading: AnswerReading, { answer, usage }: BackendStream, { calls }: { calls: boolean }): void {
  const { text = '', reasoning = '', toolCalls = [] } = answer;
  assert.equal(reading.text, text);
  assert.equal(reading.reasoning, calls ? reasoning : '');
  assert.deepEqual(
    reading.toolCalls.map(({ name, arguments: written }) => [name, JSON.parse(written)]),
    calls ? toolCalls.map(({ name, arguments: written }) => [name, JSON.parse(written)]) : [],
  );
  const ids = reading.toolCalls.map(({ id }) => id);
  assert.ok(ids.every((id, index) => id !== '' && ['', id].includes(toolCalls[index]?.id ?? '')));
  if (!usage) return;
  const { promptTokens, cachedTokens: cached, outputTokens: output } = usage;
  assert.deepEqual(reading.tokens, { uncached: promptTokens - cached, cached, output });
  const { level_at_execution, charged_usd } = reading.receipt as { level_at_execution: number; charged_usd: number };
  assert.equal(charged_usd, chargeOf(reading.tokens, pricesAt(level_at_execution, RATIO)));
}
