import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultEcho } from '#adapters/responses/response.ts';
import { responsesShape } from '#adapters/shapes.ts';
import { Fault } from '#base/fault.ts';
import { ReadElsewhere } from '#contract/call.ts';
import type { Reply } from '#contract/reply.ts';
import type { OrderPort, Submission } from '#orders/order-port.ts';
import { testCall } from '#testing/calls.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { marketListing, someListings } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { inferenceHandler } from './inference.ts';

const FACTS = { orderId: CANNED_ORDER, kind: 'responses', createdAtMs: 1, expiresAtMs: 2, promptEstimate: 1 } as const;
const accepted = { ...FACTS, resultStored: true, retentionDays: 30, detached: false };
const ticket = {
  ...{ ...accepted, listing: marketListing(), bid: 1, admittedAtMs: 0, inputWritten: null },
  ...{ followable: false, progressed: () => {}, watch: () => {}, join: () => false, leave: () => {} },
};
const replay = { ...FACTS, model: 'tide-70b', answer: cannedAnswer({ name: 'nothing', batches: [] }) };
const streamOfIt = { cadence: '', echo: '{}', restarted: false };

/** A large request, and what it is answered. */
function asked(submit: () => Promise<Submission>): { readonly echoJson: Uint8Array; readonly reply: Promise<Reply> } {
  const echoJson = Uint8Array.from(Buffer.from(JSON.stringify({ ...defaultEcho, instructions: 'Be brief.' })));
  const request = { model: 'tide-70b', stream: true, generation: { promptEstimate: 1 }, extensions: {} };
  const body = new ReadElsewhere({ request, echoJson, echo: () => assert.fail('it was parsed') });
  const orders = { submit } as unknown as OrderPort;
  const dryRun = () => assert.fail('nobody asked for it');
  const options = { orders, clock: new ManualClock(), listings: someListings(), dryRun };
  return {
    echoJson,
    reply: Promise.resolve(inferenceHandler(responsesShape, options)(testCall('createResponse', { body }))),
  };
}

/** [whose stream, what the order service says of the request] */
const submissions: [string, Submission][] = [
  ['an order', { type: 'order', ticket }],
  ['a replay', { type: 'replay', result: replay }],
  ['a replay of a stream that could be followed', { type: 'replay', result: { ...replay, stream: streamOfIt } }],
];
for (const [what, submission] of submissions)
  test(`the stream of ${what} repeats the bytes that came of a large request, neither parsed nor copied`, async () => {
    const { echoJson, reply } = asked(() => Promise.resolve(submission));
    const stream = await reply;
    assert.ok('open' in stream || 'frames' in stream);
    assert.ok(stream.repeated?.buffer === echoJson.buffer);
  });

test('what a request that may not wait would repeat is gone, without waiting for a collection', async () => {
  const { echoJson, reply } = asked(() => Promise.reject(new Fault('queued_bytes_exceeded')));
  await assert.rejects(reply, { code: 'queued_bytes_exceeded' });
  assert.equal(echoJson.byteLength, 0);
});

test('it stays when nobody knows whether the order was written', async () => {
  const { echoJson, reply } = asked(() => Promise.reject(new Fault('unavailable')));
  await assert.rejects(reply, { code: 'unavailable' });
  assert.ok(echoJson.byteLength > 0);
});
