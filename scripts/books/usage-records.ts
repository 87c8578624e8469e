/**
 * Reads the usage records over HTTP after a crash, as the account's owner could, and compares them with the receipts of
 * its clients. The operator's `audit` proves that the books are consistent; this, that they match what clients saw.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KnownReceipt } from './receipt.ts';

const IDLE_DEADLINE_MS = 180_000;

/** The owner's view of an account. */
export interface Owner {
  readonly url: string;
  readonly apiKey: string;
}

interface UsageRecord {
  readonly order_id: string;
  readonly charged_usd: number;
}

/** Of an account, on the first page; null on the others. */
interface Totals {
  readonly balance_usd: number | null;
  readonly total_charged_usd: number | null;
}

interface UsagePage extends Totals {
  readonly next_cursor: string | null;
  readonly data: readonly UsageRecord[];
}

/** Waits until nothing is queued or executing: orders that outlive their caller continue after a restart. */
export async function untilIdle(owner: Owner): Promise<void> {
  const deadline = Date.now() + IDLE_DEADLINE_MS;
  for (;;) {
    const { orders } = (await get(owner, '/v1/account')) as { orders: { queued: number; executing: number } };
    if (orders.queued === 0 && orders.executing === 0) return;
    if (Date.now() > deadline)
      throw new Error(
        `After three minutes ${orders.queued} orders are still queued and ${orders.executing} executing.`,
      );
    await sleep(50);
  }
}

/** The differences between the receipts and the usage records, as sentences; empty when there are none. */
export async function compareReceipts(
  owner: Owner,
  receipts: readonly KnownReceipt[],
  creditedUsd: number,
): Promise<string[]> {
  const findings: string[] = [];
  const missing = new Map(receipts.map((receipt) => [receipt.orderId, receipt.chargedUsd]));
  let recordedUsd = 0;
  const totals = (await get(owner, '/v1/usage?limit=1')) as Totals;
  for await (const { order_id, charged_usd } of usageRecords(owner)) {
    recordedUsd += charged_usd;
    const receiptUsd = missing.get(order_id);
    if (receiptUsd !== undefined && receiptUsd !== charged_usd)
      findings.push(`order ${order_id}: the receipt says ${receiptUsd}, the usage record ${charged_usd}`);
    missing.delete(order_id);
  }
  for (const orderId of missing.keys())
    findings.push(`order ${orderId}: a receipt was received, no usage record exists`);
  const totalUsd = totals.total_charged_usd ?? Number.NaN;
  if (!same(recordedUsd, totalUsd))
    findings.push(`the usage records add up to ${recordedUsd}, their total says ${totalUsd}`);
  if (!same((totals.balance_usd ?? Number.NaN) + totalUsd, creditedUsd))
    findings.push(`balance ${totals.balance_usd} and charges ${totalUsd} do not make the ${creditedUsd} credited`);
  return findings;
}

/** All usage records of the account, newest first. */
export async function* usageRecords(owner: Owner): AsyncGenerator<UsageRecord> {
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await get(owner, `/v1/usage?limit=200${after}`)) as UsagePage;
    yield* page.data;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/** Compares sums of doubles, which are exact to a tenth of a nano-dollar times the number of added rows. */
function same(one: number, other: number): boolean {
  return Math.abs(one - other) < 1e-6;
}

async function get({ url, apiKey }: Owner, path: string): Promise<unknown> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } });
  if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
