/** Webhooks in the journal: rows of the outbox, and the outcome of messages. Accounts without endpoints cost nothing. */
import type { PlainOutcome } from '#base/journal.ts';
import { reasonOrNull } from '../database/values.ts';
import type { UnitKind } from './context.ts';
import { shape } from './operations.ts';
import { orderRowFor, TELL_SQL, type ToldOrder, toldRow } from './outbox.ts';
import type { Picture } from './picture.ts';
import { batchHappening, budgetReached, WANTS } from './webhook-event.ts';

/** The units of webhooks. */
export interface WebhookUnits {
  readonly 'webhook-tried': { readonly unit: WebhookTriedUnit; readonly outcome: PlainOutcome };
}

/** A message was sent, or could not be. */
export interface WebhookTriedUnit {
  readonly kind: 'webhook-tried';
  readonly seq: number;
  readonly attempts: number;
  readonly atMs: number;
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  /** Why it does not count as delivered, a sentence; null when it does. */
  readonly error: string | null;
  /** When it is tried again; null when it is delivered. */
  readonly nextAtMs: number | null;
}

const TELL = shape({ act: 'plain', sql: TELL_SQL });
const TRIED = shape({
  act: 'set',
  table: 'webhook_messages',
  // A message that was tried or sent again meanwhile, by the next dispatcher, has another number of attempts.
  key: ['seq', 'attempts'],
  columns: ['attempts', 'first_at_ms', 'last_at_ms', 'last_status', 'last_error', 'next_at_ms', 'delivered_at_ms'],
  once: ['first_at_ms'],
  exact: false,
});

/** Asks for the Idempotency-Key of an order whose caller waits, if that decides which endpoints receive its end. */
export function wantKeyToTell(
  picture: Picture,
  { id, accountId, outlives }: { readonly id: string; readonly accountId: string; readonly outlives: boolean },
): void {
  if (!outlives && picture.balances.wants(accountId) & WANTS.orders) picture.keys.wantOf(id);
}

/** Notifies of an order that ends; before its key is freed. */
export function tellOrder(picture: Picture, order: ToldOrder): void {
  const row = orderRowFor(picture.balances.wants(order.accountId), order, () => picture.keys.has(order.id));
  if (row) picture.write(TELL, row);
}

/** Notifies of a batch that ends. */
export function tellBatch(picture: Picture, accountId: string, batch: Parameters<typeof batchHappening>[0]): void {
  if (picture.balances.wants(accountId) & WANTS.batches) picture.write(TELL, toldRow(accountId, batchHappening(batch)));
}

/** Notifies, once in a period, that a key has nothing of its budget left, or too little for an order. */
export function tellBudget(picture: Picture, accountId: string, keyId: string, atMs: number): void {
  if ((picture.balances.wants(accountId) & WANTS.budgets) === 0) return;
  const key = picture.keyBudgets.told(keyId);
  if (key) picture.write(TELL, toldRow(accountId, budgetReached(key, atMs)));
}

/** Notes an attempt, unless it is known already. */
export const webhookTried: UnitKind<WebhookTriedUnit, PlainOutcome> = {
  apply({ seq, attempts, atMs, status, error, nextAtMs }, { picture }) {
    const delivered = nextAtMs === null ? atMs : null;
    const noted = [attempts, atMs, atMs, status, reasonOrNull.bind(error), nextAtMs, delivered];
    picture.writeLast(TRIED, [...noted, seq, attempts - 1]);
    return { result: 'changed' };
  },
};
