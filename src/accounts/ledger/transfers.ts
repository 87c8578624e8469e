/**
 * The operator's transfers: top-ups, refunds and debits. Each is a ledger entry with an idempotency key, and changes the
 * balance in the same transaction. Spec 8.
 */
import type { Knex } from 'knex';
import type { Actor } from '#access/member.ts';
import type { Account } from '#access/principal.ts';
import { TOP_UP_USD } from '#base/bounds.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { formatUsd, type NanoUsd } from '#base/money.ts';
import type { Entry } from '#ledger/entry.ts';
import { dayOf, hourOf } from '#storage/database/periods.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, money, type Row, text } from '#storage/database/values.ts';
import { bucketOf } from '#storage/journal/model-tokens.ts';
import { lockAccount } from '#storage/records/account.ts';
import { orderFrom } from '#storage/records/order.ts';
import { LoggedStore, type NewChange } from '../change-log.ts';
import { entryFrom, insertTransfer, transferRows } from './entry-rows.ts';

/** The bounds of one top-up, unless it is forced. Spec 8. */
export const TOP_UP_MIN: NanoUsd = BigInt(TOP_UP_USD.min) * 1_000_000_000n;
export const TOP_UP_MAX: NanoUsd = BigInt(TOP_UP_USD.max) * 1_000_000_000n;
/** The largest balance, far inside 64 bits. */
const BALANCE_MAX: NanoUsd = 4_000_000_000_000_000_000n;
/** No space at the end: to MySQL two keys that differ only in such spaces are equal. */
const KEY = /^.{0,254}[^ ]$/s;
const REASON_LENGTH_MAX = 1000;

/** Details of a transfer. */
export interface Movement {
  /** Up to 1,000 characters. Debits and refunds without an order need one. */
  readonly reason?: string;
  /** Makes a retry idempotent: the same key and amount return the first entry. 1 to 255 characters. */
  readonly idempotencyKey?: string;
}

/** An entry and the balance after it. `repeated`: the key was used before, and no money moved now. */
export interface Moved {
  readonly entry: Entry;
  readonly balance: NanoUsd;
  readonly repeated: boolean;
}

/**
 * Top-ups, refunds and debits. What a member of the operator moves is logged in the same transaction, and so is every debit;
 * what else the command line moves is not.
 */
export class Transfers extends LoggedStore {
  /**
   * Adds `amount` to the balance. Throws Fault not_found, invalid_request (outside $10 to $10,000 without `force`, or
   * not above 0), idempotency_error (the key was used for something else).
   */
  async credit(accountId: string, amount: NanoUsd, details: Movement & { force?: boolean }, by: Actor): Promise<Moved> {
    checkMovement(amount, details);
    if (!details.force && (amount < TOP_UP_MIN || amount > TOP_UP_MAX)) {
      throw invalidRequest(null, 'A top-up must be $10 to $10,000, unless it is forced.');
    }
    return this.#addEntry({ accountId, kind: 'top_up', amount, orderId: null }, details, by);
  }

  /**
   * Gives `amount` back, for one order or, with a reason, for none. The refunds of an order never exceed its charge, and its
   * usage shows the rest; those of an account never exceed its charges. Throws Fault not_found (account, or an order that
   * was not settled for it), invalid_request (not above 0, more than is left of the charges, or without a reason),
   * idempotency_error.
   */
  async refund(
    accountId: string,
    amount: NanoUsd,
    details: Movement & { orderId?: string },
    by: Actor,
  ): Promise<Moved> {
    checkMovement(amount, details);
    if (details.orderId === undefined) checkReason(details);
    return this.#addEntry({ accountId, kind: 'refund', amount, orderId: details.orderId ?? null }, details, by);
  }

  /**
   * Takes `amount` back, at most what is free of holds: orders that run can still be charged, and the balance never falls
   * below 0. Throws Fault not_found, invalid_request (not above 0, more than is free, or without a reason),
   * idempotency_error.
   */
  async debit(accountId: string, amount: NanoUsd, details: Movement, by: Actor): Promise<Moved> {
    checkMovement(amount, details);
    checkReason(details);
    return this.#addEntry({ accountId, kind: 'reversal', amount: -amount, orderId: null }, details, by);
  }

  async #addEntry(
    what: Pick<Entry, 'accountId' | 'kind' | 'amount' | 'orderId'>,
    details: Movement,
    by: Actor,
  ): Promise<Moved> {
    const id = this.parts.ids.uuid();
    const entry: Entry = {
      ...what,
      id,
      uniqueKey: `key:${details.idempotencyKey ?? id}`,
      reason: details.reason ?? null,
      createdAtMs: this.parts.clock.nowMs(),
    };
    return writing(this.parts.db, async (trx) => {
      const account = await lockAccount(trx, entry.accountId);
      const earlier = await findEntry(trx, entry);
      if (earlier) return { entry: earlier, balance: account.balance, repeated: true };
      if (entry.kind === 'reversal') checkFree(entry, account);
      if (entry.kind === 'refund' && entry.orderId === null) await checkCharged(trx, entry);
      const chargedDay = entry.orderId === null ? null : await takeFromUsage(trx, entry, entry.orderId);
      const balance = account.balance + entry.amount;
      if (balance > BALANCE_MAX) throw tooMuch();
      await trx('accounts').where({ id: account.id }).update({ balance: balance.toString() });
      await insertTransfer(trx, entry, chargedDay);
      const change = changeOf(entry, balance);
      if (entry.kind === 'reversal') await this.changes.log(trx, by, change);
      else await this.changes.logByMember(trx, by, change);
      return { entry, balance, repeated: false };
    });
  }
}

const LOGGED_AS = {
  top_up: 'account.credit',
  refund: 'account.refund',
  reversal: 'account.debit',
  charge: '',
} as const;

/** What the log says about a transfer after which the balance is this. */
function changeOf({ id, accountId, kind, amount, orderId, reason }: Entry, balance: NanoUsd): NewChange {
  return {
    what: LOGGED_AS[kind],
    subject: id,
    accountId,
    before: { balance_usd: formatUsd(balance - amount) },
    after: { balance_usd: formatUsd(balance), amount_usd: formatUsd(amount), order_id: orderId, reason },
  };
}

/** The entry that this key wrote before. Throws Fault idempotency_error when it was another transfer. */
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

/**
 * Records the refund in the usage record, the key's budget and the totals, if the charge still covers it. Returns the day of
 * the charge.
 */
async function takeFromUsage(trx: Knex.Transaction, { accountId, amount }: Entry, orderId: string): Promise<number> {
  const usage: Row | undefined = await trx('usage_records').where({ order_id: orderId, account_id: accountId }).first();
  if (!usage)
    throw new Fault('not_found', { message: `This account has no settled order ${JSON.stringify(orderId)}.` });
  const changed = await trx('usage_records')
    .where({ order_id: orderId })
    .whereRaw('refunded + CAST(? AS SIGNED) <= charged', [amount.toString()])
    .update({ refunded: trx.raw('refunded + CAST(? AS SIGNED)', [amount.toString()]) });
  if (changed !== 1) {
    const left = money(usage.charged) - money(usage.refunded);
    throw invalidRequest(
      null,
      `A refund of $${formatUsd(amount)} is more than is left of the order's charge: $${formatUsd(left)}.`,
    );
  }
  const order = orderFrom(await trx('orders').where({ id: orderId }).first());
  const day = dayOf(int(usage.created_at_ms));
  await trx('usage_days')
    .where({ account_id: accountId, day })
    .where({ model: text(usage.model), key_id: order.keyId ?? '' })
    .update({ charged: trx.raw('charged - CAST(? AS SIGNED)', [amount.toString()]) });
  // A budget gets back what its present period was charged with.
  if (order.keyId !== null && typeof order.budgetFromMs === 'number')
    await trx('api_keys')
      .where({ id: order.keyId, budget_from_ms: order.budgetFromMs })
      .update({ budget_spent: trx.raw('budget_spent - CAST(? AS SIGNED)', [amount.toString()]) });
  for (const [table, unit] of [
    ['order_days', { day: dayOf(order.createdAtMs) }],
    ['order_hours', { hour: hourOf(order.createdAtMs) }],
  ] as const) {
    await trx(table)
      .where({ account_id: accountId, ...unit, model: order.model, kind: order.kind })
      .where({ status: 'done', in_batch: Number(order.batchId !== null), market: Number(order.limit !== null) })
      .update({ charged: trx.raw('charged - CAST(? AS SIGNED)', [amount.toString()]) });
  }
  await trx('model_tokens')
    .where({ model: text(usage.model), bucket_ms: bucketOf(int(usage.created_at_ms)) })
    .whereNotExists(trx('accounts').select('id').where({ id: accountId, house: 1 }))
    .update({ earned: trx.raw('earned - CAST(? AS SIGNED)', [amount.toString()]) });
  return day;
}

/** Throws Fault invalid_request where the account was charged less, net of its refunds. */
async function checkCharged(trx: Knex.Transaction, { accountId, amount }: Entry): Promise<void> {
  const days: Row | undefined = await trx('usage_days')
    .where({ account_id: accountId })
    .sum({ charged: 'charged' })
    .first();
  const refunds: Row | undefined = await transferRows(trx, accountId)
    .where({ 'entries.kind': 'refund' })
    .whereNull('entries.order_id')
    .sum({ refunded: 'entries.amount' })
    .first();
  // The sums by day are net of refunds of orders.
  const left = money(days?.charged ?? 0) - money(refunds?.refunded ?? 0);
  if (amount > left)
    throw invalidRequest(
      null,
      `A refund of $${formatUsd(amount)} is more than is left of the account's charges: $${formatUsd(left)}. Credit the account to give more.`,
    );
}

/** Throws Fault invalid_request where less is free of holds. */
function checkFree({ amount }: Entry, { balance, held }: Pick<Account, 'balance' | 'held'>): void {
  if (-amount > balance - held)
    throw invalidRequest(
      null,
      `A debit of $${formatUsd(-amount)} is more than is free: $${formatUsd(balance - held)} of $${formatUsd(balance)}; running orders hold the rest.`,
    );
}

function checkReason({ reason }: Movement): void {
  if (reason === undefined || reason.trim() === '')
    throw invalidRequest('reason', 'Without an order this needs a reason, which is kept with the entry.');
}

function tooMuch(): Fault {
  return invalidRequest(null, 'A balance can be at most $4,000,000,000.');
}

function checkMovement(amount: NanoUsd, { idempotencyKey, reason }: Movement): void {
  if (amount <= 0n) throw invalidRequest(null, 'The amount must be above 0.');
  if (amount > BALANCE_MAX) throw tooMuch();
  if (idempotencyKey !== undefined && !KEY.test(idempotencyKey)) {
    throw invalidRequest(null, 'An idempotency key must have 1 to 255 characters and not end in a space.');
  }
  if (reason !== undefined && reason.length > REASON_LENGTH_MAX)
    throw invalidRequest(null, 'A reason may have 1,000 characters.');
}
