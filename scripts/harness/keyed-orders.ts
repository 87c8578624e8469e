/**
 * Orders with an Idempotency-Key, repeated until an answer is final: whatever happens in between, a key names one
 * charged order. Also keys without anything stored, keys sent several times at once, and keys repeated much later.
 */
import { between, chance, name as drawName, pick } from './chance.ts';
import type { OrderOutcome, Sending } from './client.ts';
import type { Asker, Lane } from './lane.ts';
import { collect, drawLeaving } from './orders.ts';
import type { OrderRequest } from './requests.ts';

interface Keyed {
  readonly key: string;
  readonly request: OrderRequest;
}

/** Lanes whose orders have keys. */
export interface KeyedOrders {
  /** What each lane does. */
  send(lane: Lane): Promise<void>;
  /** Repeats every key since the last call that was charged: at any gateway it must name the same order. */
  repeatAll(lane: Asker): Promise<void>;
}

const OLD_KEYS_MAX = 500;
const REFUSALS_MAX = 4;
const TRIES_MAX = 600;
const PENDING_MS = 300;
const PENDING = new Set(['result_pending', 'settlement_uncertain', 'server_error']);
const ALLOWED = ['410 result_unavailable', '429 result_pending'];

/** The lanes share the keys that were charged; `draw` makes the requests. */
export function keyedOrders(draw: (lane: Lane) => OrderRequest = drawAny): KeyedOrders {
  const old: Keyed[] = [];
  const unrepeated: Keyed[] = [];
  return {
    async send(lane) {
      if (old.length > 0 && chance(lane.random, 1 / 5)) return repeat(lane, pick(lane.random, old));
      if (old.length > 0 && chance(lane.random, 1 / 20)) return mismatch(lane, pick(lane.random, old));
      const keyed = { key: drawName(lane.random), request: draw(lane) };
      if (!(await finish(lane, keyed))) return;
      old.push(keyed);
      unrepeated.push(keyed);
      if (old.length > OLD_KEYS_MAX) old.shift();
    },
    async repeatAll(lane) {
      for (const keyed of unrepeated.splice(0)) await repeat(lane, keyed);
    },
  };
}

function drawAny({ random, draw }: Lane): OrderRequest {
  return draw({
    shapes: ['chat', 'responses', 'messages'],
    unkept: chance(random, 1 / 3),
    detached: chance(random, 1 / 6),
  });
}

/** Sends until the answer is final: first at the own gateway, then at any. Returns whether the key was charged. */
async function finish(lane: Lane, keyed: Keyed): Promise<boolean> {
  let refusals = 0;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const leaving = tries === 0 ? drawLeaving(lane, keyed.request) : null;
    const twins = tries === 0 && chance(lane.random, 1 / 5) ? between(lane.random, 1, 3) : 0;
    const outcomes = await Promise.all([
      send(lane, keyed, { leaving, elsewhere: tries > 0 }),
      ...Array.from({ length: twins }, () => send(lane, keyed)),
    ]);
    const ends = await Promise.all(outcomes.map((outcome) => settle(lane, keyed, outcome)));
    if (ends.includes('charged')) return true;
    if (ends.includes('refused') && ++refusals >= REFUSALS_MAX) return false;
    await lane.pause(PENDING_MS);
  }
  lane.ledger.found(`${lane.name}: the key ${keyed.key} has no final answer after ${TRIES_MAX} tries`);
  return false;
}

function send(
  { client, caller, name }: Asker,
  { key, request }: Keyed,
  how: Pick<Sending, 'leaving' | 'elsewhere'> = { elsewhere: true },
): Promise<OrderOutcome> {
  return client.order(caller, request, { lane: name, key, allowed: ALLOWED, ...how });
}

async function settle(lane: Lane, { key }: Keyed, outcome: OrderOutcome): Promise<'charged' | 'refused' | 'pending'> {
  const { orderId, receipt, code, status, kind } = outcome;
  const { account } = lane.caller;
  if (receipt || (code === 'result_unavailable' && orderId)) {
    lane.ledger.finishKey(account, key, receipt?.orderId ?? orderId ?? '');
    return 'charged';
  }
  if (status === 202 && orderId) {
    if ((await collect(lane, orderId)) !== 'done') return 'refused';
    lane.ledger.finishKey(account, key, orderId);
    return 'charged';
  }
  const isPending = kind !== 'answer' || status === 503 || (code !== null && PENDING.has(code));
  return isPending ? 'pending' : 'refused';
}

/** A key that was charged is answered with the same order, at any later time. */
async function repeat(lane: Asker, keyed: Keyed): Promise<void> {
  const outcome = await send(lane, keyed);
  const { kind, status, code, orderId, receipt } = outcome;
  if (kind !== 'answer' || status === 503) return;
  const named = receipt?.orderId ?? orderId;
  if (named && (receipt || status === 202 || code === 'result_unavailable'))
    lane.ledger.finishKey(lane.caller.account, keyed.key, named);
  else lane.ledger.found(`${lane.name}: the finished key ${keyed.key} was answered ${status} ${code}`);
}

/** A key with another body is refused. */
async function mismatch(lane: Lane, { key, request }: Keyed): Promise<void> {
  const other = { ...request, body: { ...request.body, temperature: 0.5 } };
  const { kind, status, code } = await lane.client.order(lane.caller, other, {
    ...{ lane: `${lane.name}, mismatched`, key },
    allowed: ['409 idempotency_error'],
  });
  if (kind === 'answer' && status !== 503 && code !== 'idempotency_error')
    lane.ledger.found(`${lane.name}: the key ${key} with another body was answered ${status} ${code}`);
}
