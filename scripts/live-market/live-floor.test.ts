import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, test } from 'node:test';
import { type Listening, listening } from '#testing/listening.ts';
import { Caller } from './caller.ts';
import { LiveFloor } from './live-floor.ts';

const order = { account: 'attacker 0', limit: 0, lock: false, runsMs: 20, patienceMs: 60_000, unmeasured: true };
let orders = 0;
/** Paths of cancellations, in their order. */
let canceled: (string | undefined)[] = [];

/** A gateway that accepts every order at once, and of the cancellations only the first. */
const server = createServer((request, response) => {
  if (request.url?.endsWith('/cancel')) {
    const isFirst = canceled.push(request.url) === 1;
    reply(response, isFirst ? {} : { error: { code: 'order_not_cancelable' } }, isFirst ? 200 : 409);
  } else if (request.url === '/v1/chat/completions') {
    reply(response.setHeader('x-service-order-id', `o${++orders}`), {}, 202);
  } else reply(response, { error: { code: 'not_found' } }, 404);
});
let gateway: Listening;
let caller: Caller;
let floor: LiveFloor;

beforeEach(async () => {
  orders = 0;
  canceled = [];
  gateway = await listening(server);
  caller = new Caller(gateway.url);
  floor = new LiveFloor(caller, {
    keys: new Map([['attacker 0', 'k']]),
    seed: 1,
    startMs: Date.now(),
    allDetached: false,
  });
});
afterEach(async () => {
  await caller.close();
  await gateway.close();
});

function reply(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Lets the floor go on until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await floor.run(Date.now() + 1);
}

test('an order is canceled once, as soon as the gateway has named it, even when it has started', async () => {
  const early = floor.send(order);
  floor.cancel(early);
  await until(() => canceled.length === 1);
  const late = floor.send(order);
  await until(() => floor.wishes.size === 2);
  assert.deepEqual([floor.isWaiting(early), floor.isWaiting(late)], [false, true]);
  floor.cancel(late);
  floor.cancel(late);
  await until(() => canceled.length === 2);
  assert.deepEqual(canceled, ['/v1/orders/o1/cancel', '/v1/orders/o2/cancel']);
  assert.deepEqual([floor.isWaiting(late), caller.findings()], [false, []]);
});

test('what traders plan happens at its time, in order', async () => {
  const happened: string[] = [];
  floor.agenda.after(3, () => happened.push('later'));
  floor.agenda.after(1, () => happened.push('sooner'));
  await until(() => happened.length === 2);
  assert.deepEqual(happened, ['sooner', 'later']);
});

test('an answer that nobody should get is a finding', async () => {
  assert.equal(await caller.call('/v1/nothing?x=1'), null);
  assert.equal(await caller.call('/v1/nothing'), null);
  assert.deepEqual(caller.findings(), ['2 times /v1/nothing was answered 404 not_found']);
});
