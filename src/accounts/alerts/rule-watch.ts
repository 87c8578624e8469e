/**
 * Compares alerts with what they watch, every 15 seconds in one gateway. The state of an alert and its message change in one
 * transaction, so two gateways send nothing twice. An alert fires once, and may fire again only after its condition has not
 * held for five minutes, which is a message, too. Of prices and balances the database returns only the alerts that change.
 */
import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Clock, RepeatedWork } from '#base/clock.ts';
import { budgetAt } from '#base/key-budget.ts';
import type { Log } from '#base/log.ts';
import { nanoToUsd } from '#base/money.ts';
import { MINUTE_MS } from '#base/time.ts';
import type { Database } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { flag, int, money, type Row, text } from '#storage/database/values.ts';
import { tellAlert } from '#storage/journal/outbox.ts';
import { alertChanged } from '#storage/journal/webhook-event.ts';
import { budgetFrom } from '#storage/records/account.ts';
import { isFull } from '../webhooks/endpoint-store.ts';
import { channelKind } from '../webhooks/outbox-store.ts';
import { type AlertRule, ruleFrom } from './rule-store.ts';

const LOOK_MS = 15_000;
/** For how long a condition must not hold before its alert is over. */
const RECOVERY_MS = 5 * MINUTE_MS;
/** How many alerts of one subject a look takes. The rest follow in the next. */
const RULES_AT_ONCE = 500;
const ERRORS_WITHIN_MS = 15 * MINUTE_MS;
/** Of an account's orders of that time only the newest are counted. */
const ORDERS_COUNTED = 1_000;
/** A share of fewer orders says nothing. */
const ENDED_MIN = 10;

/** What the watch needs. */
export interface RuleWatchOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this gateway compares: only one gateway of a cluster does. Always true when absent. */
  readonly mayRun?: (() => boolean) | undefined;
}

/** An alert, and what it sees now. `value` is in the unit of its bound. */
interface Sight {
  readonly rule: AlertRule;
  readonly holds: boolean;
  readonly value: bigint;
  /** The name of the key; null unless a budget is watched. */
  readonly key: string | null;
}

/** Compares until it is closed. */
export class RuleWatch extends RepeatedWork {
  readonly #options: RuleWatchOptions;
  /** The last alert that was compared, by subject. */
  readonly #last = new Map<string, string>();

  constructor(options: RuleWatchOptions) {
    super(options.clock, LOOK_MS, () => this.#look());
    this.#options = options;
  }

  async #look(): Promise<void> {
    const { db, log, mayRun } = this.#options;
    if (mayRun?.() === false) return;
    try {
      await this.#compare(await this.#prices(), seenBy);
      await this.#compare(await this.#balances(), seenBy);
      await this.#compare(await this.#budgets(), (row) => this.#budgetSeen(row));
      const shares = new Map<string, Promise<bigint>>();
      await this.#compare(await this.#inTurn('errors', this.#watched('errors')), (row) =>
        this.#errorsSeen(row, shares),
      );
    } catch (error) {
      // An outage is logged by the code that needs the database for an order.
      if (!db.dialect.isOutage(error)) log.error({ err: error }, 'Alerts could not be read; trying again.');
    }
  }

  /** Failures other than of the database are logged: one alert holds up no other. */
  async #compare(rows: readonly Row[], see: (row: Row) => Sight | Promise<Sight>): Promise<void> {
    const { db, log } = this.#options;
    for (const row of rows) {
      // SQLite never yields the thread, and counts the orders of hundreds of accounts for more than a second.
      await setImmediate();
      try {
        await this.#note(await see(row));
      } catch (error) {
        if (db.dialect.isOutage(error)) throw error;
        log.error({ err: error, alert: text(row.id) }, 'An alert could not be compared; trying again.');
      }
    }
  }

  #prices(): Promise<Row[]> {
    const holds = '((above = 1 AND level > bound) OR (above = 0 AND level <= bound))';
    const watched = this.#watched('price').join('markets', 'markets.model', 'alert_rules.model');
    return this.#changing(watched, holds, 'level');
  }

  #balances(): Promise<Row[]> {
    const watched = this.#watched('balance').join('accounts', 'accounts.id', 'alert_rules.account_id');
    return this.#changing(watched, 'balance < bound', 'balance');
  }

  #budgets(): Promise<Row[]> {
    const watched = this.#watched('budget').join('api_keys', 'api_keys.id', 'alert_rules.key_id');
    const columns = ['budget', 'budget_reset', 'budget_from_ms', 'budget_spent', 'budget_held', 'api_keys.name as key'];
    return this.#inTurn('budget', watched.whereNotNull('budget').select(columns));
  }

  #watched(subject: AlertRule['subject']): Knex.QueryBuilder {
    return this.#options.db.knex('alert_rules').where({ subject, paused: 0 });
  }

  /** Those that this look changes, with what they see. */
  #changing(watched: Knex.QueryBuilder, holds: string, value: string): Promise<Row[]> {
    const { knex } = this.#options.db;
    const overMs = this.#options.clock.nowMs() - RECOVERY_MS;
    return watched
      .where((either) =>
        either
          .whereRaw(`${holds} AND (firing = 0 OR recovering_since_ms IS NOT NULL)`)
          .orWhereRaw(`NOT (${holds}) AND firing = 1 AND (recovering_since_ms IS NULL OR recovering_since_ms <= ?)`, [
            overMs,
          ])
          // The first look.
          .orWhereNull('alert_rules.since_ms'),
      )
      .orderBy('alert_rules.id')
      .limit(RULES_AT_ONCE)
      .select('alert_rules.*', { seen: value, holds: knex.raw(`CASE WHEN ${holds} THEN 1 ELSE 0 END`) });
  }

  /** The next alerts of a subject after those of the last look, and the first after the last. */
  async #inTurn(subject: AlertRule['subject'], watched: Knex.QueryBuilder): Promise<Row[]> {
    const after = this.#last.get(subject) ?? '';
    const next = watched.where('alert_rules.id', '>', after).orderBy('alert_rules.id').limit(RULES_AT_ONCE);
    const rows: Row[] = await next.select('alert_rules.*');
    this.#last.set(subject, rows.length === RULES_AT_ONCE ? text(rows.at(-1)?.id) : '');
    return rows;
  }

  #budgetSeen(row: Row): Sight {
    const rule = ruleFrom(row);
    const { amount, spent } = budgetAt(budgetFrom(row), this.#options.clock.nowMs());
    const value = amount ? shareOf(spent, amount) : 0n;
    return { rule, value, holds: value >= rule.bound, key: text(row.key) };
  }

  /** An account is counted once in a look. */
  async #errorsSeen(row: Row, shares: Map<string, Promise<bigint>>): Promise<Sight> {
    const rule = ruleFrom(row);
    const share = shares.get(rule.accountId) ?? this.#errorShare(rule.accountId);
    shares.set(rule.accountId, share);
    const value = await share;
    return { rule, value, holds: value >= rule.bound, key: null };
  }

  /** Of the orders that ended. */
  async #errorShare(accountId: string): Promise<bigint> {
    const { db, clock } = this.#options;
    const newest = db
      .knex('orders')
      .where({ account_id: accountId })
      .where('created_at_ms', '>', clock.nowMs() - ERRORS_WITHIN_MS)
      .orderBy([
        { column: 'created_at_ms', order: 'desc' },
        { column: 'id', order: 'desc' },
      ])
      .limit(ORDERS_COUNTED)
      .select('status');
    const counted: Row[] = await db.knex.from(newest.as('newest')).groupBy('status').select('status').count({ n: '*' });
    const counts = new Map(counted.map(({ status, n }) => [text(status), int(n)]));
    const failed = counts.get('error') ?? 0;
    const ended = failed + (counts.get('done') ?? 0);
    return ended < ENDED_MIN ? 0n : shareOf(BigInt(failed), BigInt(ended));
  }

  /** Brings the state of an alert up to date, and sends the message of that, unless somebody changed it meanwhile. */
  async #note({ rule, holds, value, key }: Sight): Promise<void> {
    const { db, clock } = this.#options;
    const nowMs = clock.nowMs();
    const changes = changesOf(rule, holds, nowMs);
    if (changes === null) return;
    await writing(db, async (trx) => {
      const { id, accountId, endpointId } = rule;
      const before = { id, paused: 0, firing: rule.firing ? 1 : 0, recovering_since_ms: rule.recoveringSinceMs };
      const changed = await trx('alert_rules').where(before).update(changes);
      if (changed === 0 || changes.firing === undefined) return;
      const target: Row | undefined = await trx('webhook_endpoints').where({ id: endpointId }).first('id', 'channel');
      if (!target || (await isFull(trx, { id: endpointId, channel: channelKind(target.channel) }, nowMs))) return;
      const direction = rule.above ? ('above' as const) : ('below' as const);
      const { subject, model } = rule;
      const facts = { id, subject, model, key, direction, bound: nanoToUsd(rule.bound), value: nanoToUsd(value) };
      await tellAlert(trx, { id: endpointId, accountId }, alertChanged(facts, changes.firing === 1, nowMs));
    });
  }
}

function seenBy(row: Row): Sight {
  return { rule: ruleFrom(row), holds: flag(row.holds), value: money(row.seen), key: null };
}

/** In billionths. */
function shareOf(part: bigint, whole: bigint): bigint {
  return (part * 1_000_000_000n) / whole;
}

/** The columns that change; null for none. With `firing` there is a message. */
function changesOf({ firing, sinceMs, recoveringSinceMs }: AlertRule, holds: boolean, nowMs: number) {
  if (!firing && holds) return { firing: 1, since_ms: nowMs };
  if (!firing) return sinceMs === null ? { since_ms: nowMs } : null;
  if (holds) return recoveringSinceMs === null ? null : { recovering_since_ms: null };
  if (recoveringSinceMs === null) return { recovering_since_ms: nowMs };
  if (nowMs - recoveringSinceMs < RECOVERY_MS) return null;
  return { firing: 0, since_ms: nowMs, recovering_since_ms: null };
}
