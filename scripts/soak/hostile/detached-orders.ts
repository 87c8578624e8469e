/** Detached orders: sent, repriced or canceled while they wait, and collected later, through every kill and pause. */
import { receiptIn } from '../../books/receipt.ts';
import { between, chance, pick } from './chance.ts';
import type { Lane } from './lane.ts';
import { drawRequest } from './requests.ts';

const POLL_MS = 700;
const ENDED = new Set(['done', 'error', 'canceled', 'expired']);

/** Sends some detached orders, does something to them, and collects them all. */
export async function sendDetached(lane: Lane, allowed: readonly string[] = []): Promise<void> {
  const ids: string[] = [];
  for (let left = between(lane.random, 1, 5); left > 0; left--) {
    const unkept = chance(lane.random, 1 / 5);
    const request = drawRequest(lane.random, {
      detached: true,
      unkept,
      model: pick(lane.random, ['tide', 'harbor', 'ebb', 'ebb']),
    });
    const outcome = await lane.client.order(lane.caller, request, { lane: lane.name, allowed });
    if (outcome.status === 202 && outcome.orderId) ids.push(outcome.orderId);
  }
  if (ids.length === 0) return;
  await lane.pause(500);
  if (chance(lane.random, 1 / 2)) await reprice(lane, ids);
  if (chance(lane.random, 1 / 4)) await cancel(lane, pick(lane.random, ids));
  for (const id of ids) await collect(lane, id);
}

/** Waits for the end of an order and tells the ledger its charge; returns its status. */
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
  if (receipt === null)
    ledger.found(
      `${name}: the result of order ${id}, which is done, is answered ${answer?.status}: ${answer?.text.slice(0, 300)}`,
    );
  else
    ledger.tell({
      account: caller.account,
      lane: `${name}, result`,
      answer: 'result',
      orderId: id,
      receipt,
      meaning: 'charged',
    });
}

async function reprice({ client, caller, ledger, name, random }: Lane, ids: readonly string[]): Promise<void> {
  const body = { ids, price_limit: between(random, 0, 60) };
  const exchange = await client.call(caller, '/v1/orders/price', { method: 'POST', body });
  const answer = exchange.kind === 'answer' ? String(exchange.status) : exchange.kind;
  ledger.tell({
    account: caller.account,
    lane: `${name}, repriced`,
    answer,
    orderId: null,
    receipt: null,
    meaning: 'nothing',
  });
  if (exchange.kind === 'answer' && ![200, 403, 503].includes(exchange.status))
    ledger.found(`${name}: repricing ${ids.join(' ')} was answered ${exchange.status}: ${exchange.text}`);
}

async function cancel({ client, caller, ledger, name }: Lane, id: string): Promise<void> {
  const exchange = await client.call(caller, `/v1/orders/${id}/cancel`, { method: 'POST' });
  const answer = exchange.kind === 'answer' ? String(exchange.status) : exchange.kind;
  const meaning = answer === '200' ? 'refused' : 'nothing';
  ledger.tell({ account: caller.account, lane: `${name}, canceled`, answer, orderId: id, receipt: null, meaning });
  if (exchange.kind === 'answer' && ![200, 403, 409, 503].includes(exchange.status))
    ledger.found(`${name}: canceling ${id} was answered ${exchange.status}: ${exchange.text}`);
}
