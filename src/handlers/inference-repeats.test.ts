import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultEcho } from '#adapters/responses/echo.ts';
import { responsesShape } from '#adapters/responses/shape.ts';
import { ManualClock } from '#base/clock.ts';
import type { OrderPort, Submission } from '#orders/order-port.ts';
import { testCall } from '#testing/calls.ts';
import { CANNED_ORDER, cannedAnswer } from '#testing/canned-generations.ts';
import { marketListing, someListings } from '#testing/listings.ts';
import { inferenceHandler } from './inference.ts';
import { ReadElsewhere } from './large-bodies.ts';

const FACTS = { orderId: CANNED_ORDER, kind: 'responses', createdAtMs: 1, expiresAtMs: 2, promptEstimate: 1 } as const;
const accepted = { ...FACTS, resultStored: true, retentionDays: 30, detached: false };
const ticket = {
  ...{ ...accepted, listing: marketListing(), bid: 1, admittedAtMs: 0 },
  ...{ progressed: () => {}, watch: () => {}, leave: () => {} },
};
const replay = { ...FACTS, model: 'tide-70b', answer: cannedAnswer({ name: 'nothing', batches: [] }) };
const streamOfIt = { cadence: '', echo: '{}', restarted: false };

/** [whose stream, what the order service says of the request] */
const submissions: [string, Submission][] = [
  ['an order', { type: 'order', ticket }],
  ['a replay', { type: 'replay', result: replay }],
  ['a replay of a stream that could be followed', { type: 'replay', result: { ...replay, stream: streamOfIt } }],
];
for (const [what, submission] of submissions)
  test(`the stream of ${what} repeats the bytes that came of a large request, neither parsed nor copied`, async () => {
    const echoJson = new Uint8Array(Buffer.from(JSON.stringify({ ...defaultEcho, instructions: 'Be brief.' })));
    const request = { model: 'tide-70b', stream: true, generation: { promptEstimate: 1 } };
    const body = new ReadElsewhere({ request, echoJson, echo: () => assert.fail('it was parsed') });
    const orders = { submit: () => Promise.resolve(submission) } as unknown as OrderPort;
    const dryRun = () => assert.fail('nobody asked for it');
    const options = { orders, clock: new ManualClock(), listings: someListings(), dryRun };
    const reply = await inferenceHandler(responsesShape, options)(testCall({ body }));
    assert.ok('open' in reply || 'frames' in reply);
    assert.ok(reply.repeated?.buffer === echoJson.buffer);
  });
