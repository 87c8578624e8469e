/**
 * Alerts of low balances. Every ten seconds some of them are compared with the balances of their accounts, in the order of
 * their accounts, so that a round is short however many there are. Several gateways may do it at once.
 */
import type { Knex } from 'knex';
import type { AccountActor } from '#access/member.ts';
import { type Clock, RepeatedWork } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { formatUsd, type NanoUsd } from '#base/money.ts';
import type { Database } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { intOrNull, money, type Row, text } from '#storage/database/values.ts';
import { tell } from '#storage/journal/outbox.ts';
import { balanceLow } from '#storage/journal/webhook-event.ts';
import { lockAccount } from '#storage/records/account.ts';
import { LoggedStore } from '../change-log.ts';

const INTERVAL_MS = 10_000;
const ACCOUNTS_AT_ONCE = 500;

/** A balance below which the account is alerted. */
export interface BalanceAlert {
  readonly below: NanoUsd;
  /** Null while the balance is not below. */
  readonly crossedAtMs: number | null;
}

/** The alerts of accounts. */
export class BalanceAlerts extends LoggedStore {
  /** The highest first. */
  list(accountId: string): Promise<BalanceAlert[]> {
    return list(this.parts.db.knex, accountId);
  }

  /** Replaces the alerts; an alert that stays keeps its time. */
  set(by: AccountActor, below: readonly NanoUsd[]): Promise<BalanceAlert[]> {
    const { accountId } = by;
    return writing(this.parts.db, async (trx) => {
      await lockAccount(trx, accountId);
      const before = await list(trx, accountId);
      const wanted = [...new Set(below)];
      await trx('balance_alerts').where({ account_id: accountId }).whereNotIn('below', wanted.map(String)).delete();
      for (const one of wanted)
        await trx('balance_alerts')
          .insert({ account_id: accountId, below: one.toString(), crossed_at_ms: null })
          .onConflict(['account_id', 'below'])
          .ignore();
      await noteCrossings(trx, await changedAlerts(trx, [accountId]), this.parts.clock.nowMs());
      const after = await list(trx, accountId);
      const change = { before: shown(before), after: shown(after) };
      await this.changes.log(trx, by, { what: 'alerts.set', subject: accountId, ...change });
      return after;
    });
  }
}

/** Notes from time to time which alerts are crossed, until it is closed. */
export function watchAlerts(db: Database, clock: Clock, log: Log): RepeatedWork {
  let after = '';
  return new RepeatedWork(clock, INTERVAL_MS, async () => {
    try {
      const accountIds: string[] = await db
        .knex('balance_alerts')
        .where('account_id', '>', after)
        .distinct('account_id')
        .orderBy('account_id')
        .limit(ACCOUNTS_AT_ONCE)
        .pluck('account_id');
      after = accountIds.length === ACCOUNTS_AT_ONCE ? (accountIds.at(-1) ?? '') : '';
      const rows = accountIds.length > 0 ? await changedAlerts(db.knex, accountIds) : [];
      if (rows.length > 0) await writing(db, (trx) => noteCrossings(trx, rows, clock.nowMs()));
    } catch (error) {
      log.error({ err: error }, 'Low-balance alerts could not be checked.');
    }
  });
}

/** The alerts to change: those crossed now that were not, and those no longer crossed. */
async function changedAlerts(knex: Knex, accountIds: readonly string[]): Promise<Row[]> {
  const rows: Row[] = await knex('balance_alerts')
    .join('accounts', 'accounts.id', 'balance_alerts.account_id')
    .whereIn('balance_alerts.account_id', [...accountIds])
    .select('balance_alerts.account_id', 'below', 'crossed_at_ms', 'balance');
  return rows.filter((row) => isBelow(row) !== (row.crossed_at_ms !== null));
}

const isBelow = (row: Row) => money(row.balance) < money(row.below);

/** Notes which alerts are crossed, and notifies the webhooks of the account when its balance is low. */
async function noteCrossings(trx: Knex.Transaction, rows: readonly Row[], nowMs: number): Promise<void> {
  for (const row of rows) {
    const [accountId, below] = [text(row.account_id), money(row.below)];
    const mine = trx('balance_alerts').where({ account_id: accountId, below: below.toString() });
    if (!isBelow(row)) await mine.update({ crossed_at_ms: null });
    else if ((await mine.whereNull('crossed_at_ms').update({ crossed_at_ms: nowMs })) > 0) {
      const eventId = `evt_${accountId}_${below}_${nowMs}`;
      await tell(trx, accountId, balanceLow({ eventId, accountId, below, balance: money(row.balance) }, nowMs));
    }
  }
}

async function list(knex: Knex, accountId: string): Promise<BalanceAlert[]> {
  const rows: Row[] = await knex('balance_alerts').where({ account_id: accountId }).orderBy('below', 'desc');
  return rows.map((row) => ({ below: money(row.below), crossedAtMs: intOrNull(row.crossed_at_ms) }));
}

function shown(alerts: readonly BalanceAlert[]): object {
  return { below_usd: alerts.map(({ below }) => formatUsd(below)) };
}
