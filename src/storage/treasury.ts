/**
 * Money that an operator moves: top-ups and refunds. Each is an entry that cannot be written twice under one key, and
 * changes the balance in the same transaction. Spec 8.
 */
import type { Knex } from 'knex';
import { TOP_UP_USD } from '#base/bounds.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { formatUsd, type NanoUsd } from '#base/money.ts';
import type { Entry } from '#ledger/ports.ts';
import type { Database, OperatorParts } from './database.ts';
import { dayOf, hourOf } from './days.ts';
import { entryFrom } from './entry-record.ts';
import { bucketOf } from './journal/model-tokens.ts';
import { orderFrom } from './order-record.ts';
import { lockAccount, writing } from './transaction.ts';
import { int, type Row, text } from './values.ts';

/** The least and the most that one top-up may be, unless it is forced. Spec 8. */
export const TOP_UP_MIN: NanoUsd = BigInt(TOP_UP_USD.min) * 1_000_000_000n;
export const TOP_UP_MAX: NanoUsd = BigInt(TOP_UP_USD.max) * 1_000_000_000n;
/** A balance stays far inside 64 bits. */
const BALANCE_MAX: NanoUsd = 4_000_000_000_000_000_000n;
const KEY_LENGTH_MAX = 255;
const REASON_LENGTH_MAX = 1000;

/** What may be said about a movement of money. */
export interface Movement {
  readonly reason?: string;
  /** Makes a repetition harmless: the same key and amount answer with the first entry. 1 to 255 characters. */
  readonly idempotencyKey?: string;
}

/** An entry and the balance after it. `repeated`: the key was used before, and nothing moved now. */
export interface Moved {
  readonly entry: Entry;
  readonly balance: NanoUsd;
  readonly repeated: boolean;
}

/** Top-ups and refunds. */
export class Treasury {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor(parts: OperatorParts) {
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#ids = parts.ids;
  }

  /**
   * Adds `amount` to the balance. Throws Fault not_found, invalid_request (outside $10 to $10,000 without `force`, or
   * not above 0), idempotency_error (the key was used for something else).
   */
  async credit(accountId: string, amount: NanoUsd, said: Movement & { force?: boolean } = {}): Promise<Moved> {
    checkMovement(amount, said);
    if (!said.force && (amount < TOP_UP_MIN || amount > TOP_UP_MAX)) {
      throw invalid('A top-up is $10 to $10,000; --force grants any sum.');
    }
    return this.#move({ accountId, kind: 'top_up', amount, orderId: null, said });
  }

  /**
   * Gives `amount` back, for one order or for none. With an order, all its refunds together stay within its charge, and
   * its usage shows the rest. Throws Fault not_found (account, or an order that was not settled for it), invalid_request
   * (not above 0, or more than is left of the charge), idempotency_error.
   */
  async refund(accountId: string, amount: NanoUsd, said: Movement & { orderId?: string } = {}): Promise<Moved> {
    checkMovement(amount, said);
    return this.#move({ accountId, kind: 'refund', amount, orderId: said.orderId ?? null, said });
  }

  async #move(wish: Pick<Entry, 'accountId' | 'kind' | 'amount' | 'orderId'> & { said: Movement }): Promise<Moved> {
    const { said, ...what } = wish;
    const id = this.#ids.uuid();
    const entry: Entry = {
      ...what,
      id,
      uniqueKey: `key:${said.idempotencyKey ?? id}`,
      reason: said.reason ?? null,
      createdAtMs: this.#clock.nowMs(),
    };
    return writing(this.#db, async (trx) => {
      const account = await lockAccount(trx, entry.accountId);
      const earlier = await findEntry(trx, entry);
      if (earlier) return { entry: earlier, balance: account.balance, repeated: true };
      if (entry.orderId !== null) await takeFromUsage(trx, entry, entry.orderId);
      const balance = account.balance + entry.amount;
      if (balance > BALANCE_MAX) throw invalid('No account can hold that much.');
      await trx('accounts').where({ id: account.id }).update({ balance: balance.toString() });
      await trx('entries').insert(entryRow(entry));
      return { entry, balance, repeated: false };
    });
  }
}

/** The entry written under this key before, when it says the same. Throws Fault idempotency_error when it does not. */
async function findEntry(trx: Knex.Transaction, wanted: Entry): Promise<Entry | null> {
  const row: Row | undefined = await trx('entries')
    .where({ account_id: wanted.accountId, unique_key: wanted.uniqueKey })
    .first();
  if (!row) return null;
  const entry = entryFrom(row);
  const same = entry.kind === wanted.kind && entry.amount === wanted.amount && entry.orderId === wanted.orderId;
  if (!same) throw new Fault('idempotency_error');
  return entry;
}

/** Notes the refund on the usage record and in the totals of the days, if the charge still covers it. */
async function takeFromUsage(trx: Knex.Transaction, { accountId, amount }: Entry, orderId: string): Promise<void> {
  const usage: Row | undefined = await trx('usage_records').where({ order_id: orderId, account_id: accountId }).first();
  if (!usage)
    throw new Fault('not_found', { message: `This account has no settled order ${JSON.stringify(orderId)}.` });
  const changed = await trx('usage_records')
    .where({ order_id: orderId })
    .whereRaw('refunded + CAST(? AS SIGNED) <= charged', [amount.toString()])
    .update({ refunded: trx.raw('refunded + CAST(? AS SIGNED)', [amount.toString()]) });
  if (changed !== 1) {
    throw invalid(`More than the order's charge less its refunds: ${formatUsd(amount)} is too much.`);
  }
  await trx('usage_days')
    .where({ account_id: accountId, day: dayOf(int(usage.created_at_ms)), model: text(usage.model) })
    .update({ charged: trx.raw('charged - CAST(? AS SIGNED)', [amount.toString()]) });
  const order = orderFrom(await trx('orders').where({ id: orderId }).first());
  for (const [table, unit] of [
    ['order_days', { day: dayOf(order.createdAtMs) }],
    ['order_hours', { hour: hourOf(order.createdAtMs) }],
  ] as const) {
    await trx(table)
      .where({ account_id: accountId, ...unit, model: order.model, kind: order.kind })
      .where({ status: 'done', in_batch: Number(order.batchId !== null), market: Number(order.priceLimit !== null) })
      .update({ charged: trx.raw('charged - CAST(? AS SIGNED)', [amount.toString()]) });
  }
  await trx('model_tokens')
    .where({ model: text(usage.model), bucket_ms: bucketOf(int(usage.created_at_ms)) })
    .whereNotExists(trx('accounts').select('id').where({ id: accountId, house: 1 }))
    .update({ earned: trx.raw('earned - CAST(? AS SIGNED)', [amount.toString()]) });
}

function entryRow(entry: Entry): Record<string, string | number | null> {
  return {
    account_id: entry.accountId,
    unique_key: entry.uniqueKey,
    id: entry.id,
    kind: entry.kind,
    amount: entry.amount.toString(),
    order_id: entry.orderId,
    reason: entry.reason,
    created_at_ms: entry.createdAtMs,
  };
}

function checkMovement(amount: NanoUsd, { idempotencyKey, reason }: Movement): void {
  if (amount <= 0n) throw invalid('The amount is above 0.');
  if (idempotencyKey !== undefined && (idempotencyKey === '' || idempotencyKey.length > KEY_LENGTH_MAX)) {
    throw invalid('An idempotency key has 1 to 255 characters.');
  }
  if (reason !== undefined && reason.length > REASON_LENGTH_MAX) throw invalid('A reason has up to 1,000 characters.');
}

function invalid(message: string): Fault {
  return new Fault('invalid_request', { message });
}
