import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, test } from 'node:test';
import { type Listening, listening } from '#testing/listening.ts';
import { Caller } from './caller.ts';
import { LiveFloor } from './live-floor.ts';

interface Repricing {
  readonly ids: readonly string[];
  readonly price_limit: number;
  answer(changed: boolean): void;
}

const order = { account: 'attacker 0', limit: 0, lock: false, runsMs: 20, patienceMs: 60_000, unmeasured: true };
let orders = 0;
/** Repricings that the gateway has not answered. */
let came: Repricing[] = [];

/** A gateway that accepts every order at once, and answers a repricing when the test says how it ended. */
const server = createServer(async (request, response) => {
  if (request.url === '/v1/orders/price') {
    const { ids, price_limit } = (await json(request)) as Repricing;
    const ended = (changed: boolean) => ids.map((id) => ({ id, changed, code: changed ? null : 'not_queued' }));
    came.push({ ids, price_limit, answer: (changed) => reply(response, { data: ended(changed) }) });
  } else if (request.url === '/v1/chat/completions') {
    reply(response.setHeader('x-service-order-id', `o${++orders}`), {}, 202);
  } else reply(response, { error: { code: 'not_found' } }, 404);
});
let gateway: Listening;
let caller: Caller;
let floor: LiveFloor;

beforeEach(async () => {
  orders = 0;
  came = [];
  gateway = await listening(server);
  caller = new Caller(gateway.url);
  floor = new LiveFloor(caller, { keys: new Map([['attacker 0', 'k']]), seed: 1, startMs: Date.now() });
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

async function nextRepricing(): Promise<Repricing> {
  await until(() => came.length > 0);
  const first = came.shift();
  assert.ok(first);
  return first;
}

test('orders of one account are repriced together, and no price overtakes another', async () => {
  const wall = [floor.send(order), floor.send(order)];
  await until(() => floor.wishes.size === 2);
  for (const one of wall) floor.reprice(one, 5e9);
  const up = await nextRepricing();
  assert.deepEqual([up.ids, up.price_limit], [['o1', 'o2'], 5]);
  for (const one of wall) floor.reprice(one, 0);
  await floor.run(Date.now() + 1);
  assert.equal(came.length, 0);
  up.answer(true);
  const down = await nextRepricing();
  assert.deepEqual([down.ids, down.price_limit], [['o1', 'o2'], 0]);
  down.answer(false);
  await until(() => wall.every((one) => !floor.isWaiting(one)));
  assert.deepEqual(caller.findings(), []);
});

test('an order is repriced as soon as the gateway has named it', async () => {
  floor.reprice(floor.send(order), 5e9);
  const { ids, answer } = await nextRepricing();
  assert.deepEqual(ids, ['o1']);
  answer(true);
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
