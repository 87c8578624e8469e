/**
 * Orders of callers that wait for the answer or leave at any moment, and detached ones: sent, repriced or canceled while
 * they wait, and collected later, through every kill and pause.
 */
import { receiptIn } from './answers.ts';
import { between, chance, pick } from './chance.ts';
import type { Leaving } from './client.ts';
import type { Lane } from './lane.ts';
import type { OrderRequest, Wishes } from './requests.ts';

/** A limit at which an order waits while others bid, and one at which it does not, USD. */
const LOW = 1;
const HIGH = 20;
const POLL_MS = 700;
const ENDED = new Set(['done', 'error', 'canceled', 'expired']);
const LEAVES = 1 / 6;

/** Sends one order. */
export async function sendPlain(lane: Lane, wishes: Wishes = {}, allowed: readonly string[] = []): Promise<void> {
  const request = lane.draw(wishes);
  await lane.client.order(lane.caller, request, { lane: lane.name, leaving: drawLeaving(lane, request), allowed });
}

/** When the caller leaves; null when it stays, as most do. */
export function drawLeaving({ random }: Pick<Lane, 'random'>, { stream }: OrderRequest): Leaving | null {
  if (!chance(random, LEAVES)) return null;
  if (stream && chance(random, 1 / 2)) return { afterPieces: between(random, 1, 4) };
  return { afterMs: between(random, 0, 800) };
}

/** Sends some detached orders, does something to them, and collects them all. */
export async function sendDetached(lane: Lane, allowed: readonly string[] = []): Promise<void> {
  const ids: string[] = [];
  const models = lane.wishes?.models ?? ['tide', 'harbor', 'ebb', 'ebb'];
  for (let left = between(lane.random, 1, 5); left > 0; left--) {
    const request = lane.draw({ detached: true, unkept: chance(lane.random, 1 / 5), models });
    const outcome = await lane.client.order(lane.caller, request, { lane: lane.name, allowed });
    if (outcome.status === 202 && outcome.orderId) ids.push(outcome.orderId);
  }
  if (ids.length === 0) return;
  await lane.pause(500);
  if (chance(lane.random, 1 / 2)) await reprice(lane, ids, between(lane.random, 0, 60));
  if (chance(lane.random, 1 / 4)) await cancel(lane, pick(lane.random, ids));
  for (const id of ids) await collect(lane, id);
}

/** Leaves an order that waits with one gateway, and cancels or reprices it at any. The books show the outcome. */
export async function leaveBehind(lane: Lane): Promise<void> {
  const request = lane.draw({ detached: true, priceLimit: LOW });
  const { status, orderId } = await lane.client.order(lane.caller, request, { lane: lane.name });
  if (status !== 202 || orderId === null) return;
  if (chance(lane.random, 1 / 2)) await cancel(lane, orderId);
  else await reprice(lane, [orderId], HIGH);
}

/** Waits for the end of an order and records its charge in the ledger; returns its status. */
export async function collect(lane: Lane, id: string): Promise<string> {
  const { client, caller, ledger, name } = lane;
  for (;;) {
    const answer = await client.ask(caller, `/v1/orders/${id}?include=usage`);
    if (answer?.status !== 200) {
      ledger.found(`${name}: order ${id} was accepted, and reading it is answered ${answer?.status}: ${answer?.text}`);
      return 'lost';
    }
    const { status, usage } = JSON.parse(answer.text);
    if (ENDED.has(status)) {
      const told = { account: caller.account, lane: `${name}, collected`, answer: status, orderId: id };
      const chargedUsd = usage?.charged_usd;
      if (status !== 'done') ledger.tell({ ...told, receipt: null, meaning: 'refused' });
      else if (chargedUsd === undefined) ledger.found(`${name}: order ${id} is done and has no usage`);
      else ledger.tell({ ...told, receipt: { orderId: id, chargedUsd }, meaning: 'charged' });
      if (status === 'done') await readResult(lane, id);
      return status;
    }
    await lane.pause(POLL_MS);
  }
}

/** The stored result must have the same receipt; one that was not stored is 410. */
async function readResult({ client, caller, ledger, name }: Lane, id: string): Promise<void> {
  const answer = await client.ask(caller, `/v1/orders/${id}/result`);
  if (answer?.status === 410) return;
  const receipt = answer?.status === 200 ? receiptIn(JSON.parse(answer.text).body) : null;
  const told = { account: caller.account, lane: `${name}, result`, answer: 'result', orderId: id };
  if (receipt) ledger.tell({ ...told, receipt, meaning: 'charged' });
  else
    ledger.found(
      `${name}: the result of the finished order ${id} is answered ${answer?.status}: ${startOf(answer?.text)}`,
    );
}

async function reprice(lane: Lane, ids: readonly string[], priceLimit: number): Promise<void> {
  const body = { ids, price_limit: priceLimit };
  await change(lane, { path: '/v1/orders/price', body, what: 'repriced', expected: [200, 403, 503] });
}

/** A confirmed cancellation is never charged. */
async function cancel(lane: Lane, id: string): Promise<void> {
  const path = `/v1/orders/${id}/cancel`;
  const status = await change(lane, { path, what: 'canceled', expected: [200, 403, 409, 503] });
  if (status === 200) lane.ledger.canceled.set(id, lane.name);
}

/** Changes what waits, at any gateway. Returns the status; 0 for no answer. */
async function change(
  { client, caller, ledger, name }: Lane,
  { path, body, what, expected }: { path: string; body?: object; what: string; expected: readonly number[] },
): Promise<number> {
  const exchange = await client.call(caller, path, { method: 'POST', ...(body && { body }), elsewhere: true });
  const status = exchange.kind === 'answer' ? exchange.status : 0;
  const answer = exchange.kind === 'answer' ? String(status) : exchange.kind;
  const told = { account: caller.account, lane: `${name}, ${what}`, orderId: null, receipt: null };
  ledger.tell({ ...told, answer, meaning: 'nothing' });
  if (exchange.kind === 'answer' && !expected.includes(status))
    ledger.found(`${told.lane}: ${path} was answered ${status}: ${startOf(exchange.text)}`);
  return status;
}

function startOf(text = ''): string {
  return text.slice(0, 300);
}
