/**
 * The official OpenAI client reads what the shapes write, without a server: its stream helpers check rules that no
 * schema has, and throw when one is broken.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import type { Answer } from '#results/result.ts';
import { CANNED_ORDER, type CannedGeneration, cannedAnswer, cannedGenerations } from '#testing/canned-generations.ts';
import type { StreamEncoder } from './common/wire-shape.ts';
import { completionShape, responsesShape } from './shapes.ts';

const FACTS = { orderId: CANNED_ORDER, model: 'tide-70b', createdAtMs: Date.UTC(2026, 0, 1), promptEstimate: 7 };
const ASKED = { model: 'tide-70b', input: 'Hi' };

/** A client that gets this stream for every request. */
function clientOf(stream: string): OpenAI {
  const headers = { 'content-type': 'text/event-stream' };
  return new OpenAI({ apiKey: 'sk-none', maxRetries: 0, fetch: async () => new Response(stream, { headers }) });
}

/** A complete stream with a keepalive before and after each batch. */
function streamOf(encoder: StreamEncoder, { batches }: CannedGeneration, answer: Answer): string {
  const opening = encoder.open() + encoder.keepalive();
  const output = batches.map((batch) => encoder.keepalive() + encoder.events(batch));
  return opening + output.join('') + encoder.keepalive() + encoder.ended({ status: 'done', answer });
}

for (const canned of cannedGenerations) {
  const answer = cannedAnswer(canned);

  test(`responses.stream() reads ${canned.name} with keepalives, and ends with the complete response`, async () => {
    const { echo } = responsesShape.parseRequest({ input: 'Hi' }, {});
    const stream = clientOf(streamOf(responsesShape.openStream(FACTS, echo, ''), canned, answer));
    const helper = stream.responses.stream(ASKED);
    let text = '';
    helper.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const response = await helper.finalResponse();
    assert.equal(text, answer.generation.text);
    assert.equal(response.output_text, answer.generation.text);
    const whole = responsesShape.renderAnswer(FACTS, answer, echo);
    assert.deepEqual(
      response.output.map(({ id, type }) => [id, type]),
      (whole.output as { id: string; type: string }[]).map(({ id, type }) => [id, type]),
    );
  });

  test(`completions.create() streams ${canned.name}`, async () => {
    const encoder = completionShape.openStream(FACTS, { includeUsage: true }, '');
    const client = clientOf(streamOf(encoder, canned, answer));
    const chunks = await Array.fromAsync(
      await client.completions.create({ model: 'tide-70b', prompt: 'Hi', stream: true }),
    );
    assert.equal(chunks.map(({ choices }) => choices[0]?.text ?? '').join(''), answer.generation.text);
    assert.equal(chunks.at(-1)?.usage?.total_tokens, 1050);
  });
}
