/**
 * Events of what no unit of the journal changes: levels that cross a price, pods that go down or come back, and budgets for
 * which a request was refused before it was an order. Every two seconds they are compared with what was reported last; that
 * and the message change in one transaction, so nothing is reported twice. What comes and goes in between is not reported.
 */
import { type Clock, RepeatedWork } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import { budgetAt } from '#base/key-budget.ts';
import type { Log } from '#base/log.ts';
import type { Database } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { bit, int, intOrNull, type Row, text } from '#storage/database/values.ts';
import { tell } from '#storage/journal/outbox.ts';
import { budgetReached, podChanged, priceCrossed, WANTS } from '#storage/journal/webhook-event.ts';
import { budgetFrom, lockAccount } from '#storage/records/account.ts';

const LOOK_MS = 2_000;
/** How many keys are remembered until the next look. */
const KEYS_MAX = 1_000;
/** How many price crossings one look reports, in total and for one account. The rest follow in the next look. */
const CROSSINGS_AT_ONCE = 500;
const CROSSINGS_OF_ACCOUNT = 50;

/** A pod as the watch sees it; `sinceMs` is null until something is known about it. */
export interface WatchedPod {
  readonly pod: string;
  readonly healthy: boolean;
  readonly sinceMs: number | null;
}

/** What the watch needs. */
export interface WatchOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly pods: () => readonly WatchedPod[];
  /** Whether this gateway checks levels and pods: only one gateway of a cluster does. Always true when absent. */
  readonly mayRun?: (() => boolean) | undefined;
}

/** Compares until it is closed. */
export class WebhookWatch extends RepeatedWork {
  readonly #options: WatchOptions;
  /** Keys for whose budget a request was refused, and their accounts. */
  readonly #spent = new Map<string, string>();
  #looks = 0;
  /** The account whose crossing was reported last: the next look begins after it. */
  #lastAccountId = '';

  constructor(options: WatchOptions) {
    super(options.clock, LOOK_MS, () => this.#compareAll());
    this.#options = options;
  }

  /** A request was refused because the budget of its key does not cover it. */
  budgetSpent(accountId: string, keyId: string): void {
    if (this.#spent.size < KEYS_MAX) this.#spent.set(keyId, accountId);
  }

  async #compareAll(): Promise<void> {
    const { db, log, mayRun } = this.#options;
    try {
      for (const [keyId, accountId] of this.#spent) {
        await this.#alone(() => this.#reportBudget(accountId, keyId));
        this.#spent.delete(keyId);
      }
      if (mayRun?.() === false) return;
      await this.#comparePods();
      await this.#reportCrossings();
    } catch (error) {
      if (!db.dialect.isOutage(error)) log.error({ err: error }, 'What webhooks watch could not be compared.');
    }
  }

  /** Failures other than of the database are logged, so that they do not end each look. */
  async #alone(work: () => Promise<void>): Promise<void> {
    const { db, log } = this.#options;
    try {
      await work();
    } catch (error) {
      if (db.dialect.isOutage(error)) throw error;
      log.error({ err: error }, 'A change for webhooks could not be reported.');
    }
  }

  async #comparePods(): Promise<void> {
    const { db, pods } = this.#options;
    const { knex } = db;
    const operators = await knex('webhook_endpoints').where({ account_id: '', enabled: 1 }).first('id');
    if (!operators) return;
    const rows: Row[] = await knex('webhook_pods');
    const known = new Map(rows.map((row) => [text(row.pod), int(row.up) === 1]));
    for (const { pod, healthy, sinceMs } of pods()) {
      // A pod that was never seen before is reported only if it is down.
      if (sinceMs === null || known.get(pod) === healthy) continue;
      await this.#alone(() => this.#reportPod(pod, healthy, known.has(pod)));
    }
  }

  async #reportPod(pod: string, healthy: boolean, isKnown: boolean): Promise<void> {
    const { db, clock, ids } = this.#options;
    await writing(db, async (trx) => {
      await trx('webhook_pods')
        .insert({ pod, up: bit(healthy) })
        .onConflict('pod')
        .merge();
      if (healthy && !isKnown) return;
      await tell(trx, '', podChanged({ eventId: `evt_${ids.uuid()}`, pod, up: healthy }, clock.nowMs()));
    });
  }

  async #reportBudget(accountId: string, keyId: string): Promise<void> {
    const { db, clock } = this.#options;
    const nowMs = clock.nowMs();
    const account: Row | undefined = await db.knex('accounts').where({ id: accountId }).first('webhooks');
    if (!account || (int(account.webhooks) & WANTS.budgets) === 0) return;
    await writing(db, async (trx) => {
      await lockAccount(trx, accountId);
      const row: Row | undefined = await trx('api_keys').where({ id: keyId }).first();
      const budget = row && budgetAt(budgetFrom(row), nowMs);
      if (!budget || budget.amount === null || intOrNull(row.budget_told_from_ms) === budget.fromMs) return;
      await trx('api_keys').where({ id: keyId }).update({ budget_told_from_ms: budget.fromMs });
      const key = { id: keyId, name: text(row.name), amount: budget.amount, fromMs: budget.fromMs };
      await tell(trx, accountId, budgetReached(key, nowMs));
    });
  }

  /**
   * Accounts take turns, so that an account that watches hundreds of prices around a level that swings does not hold up
   * the others.
   */
  async #reportCrossings(): Promise<void> {
    const crossed = await this.#findCrossings();
    for (const row of crossed) await this.#alone(() => this.#reportCrossing(row));
    this.#lastAccountId = text(crossed.at(-1)?.account_id ?? this.#lastAccountId);
  }

  /** The first crossing of each account comes before the second of any account. */
  #findCrossings(): Promise<Row[]> {
    const { knex } = this.#options.db;
    const own = 'PARTITION BY account_id';
    // Its first one is another at each look, or the last ones would never be reported.
    const turn = `(ROW_NUMBER() OVER (${own} ORDER BY endpoint_id, model, price) + ?) % COUNT(*) OVER (${own})`;
    const crossed = knex('webhook_prices')
      .join('markets', 'markets.model', 'webhook_prices.model')
      .join('webhook_endpoints', 'webhook_endpoints.id', 'webhook_prices.endpoint_id')
      .where((either) =>
        either
          .whereNull('above')
          .orWhere((up) => up.where('above', 0).whereRaw('level >= price'))
          .orWhere((down) => down.where('above', 1).whereRaw('level < price')),
      )
      .select('endpoint_id', 'account_id', 'webhook_prices.model as model', 'price', 'above', 'level');
    const inTurn = knex
      .from(crossed.as('crossed'))
      .select('crossed.*', knex.raw(`${turn} AS turn`, [this.#looks++ * CROSSINGS_OF_ACCOUNT]));
    return knex
      .from(inTurn.as('taken'))
      .where('turn', '<', CROSSINGS_OF_ACCOUNT)
      .orderBy('turn')
      .orderByRaw('CASE WHEN account_id > ? THEN 0 ELSE 1 END', [this.#lastAccountId])
      .orderBy('account_id')
      .limit(CROSSINGS_AT_ONCE);
  }

  async #reportCrossing(row: Row): Promise<void> {
    const { db, clock, ids } = this.#options;
    const [model, price, level] = [text(row.model), int(row.price), int(row.level)];
    const id = text(row.endpoint_id);
    const before = intOrNull(row.above);
    const above = level >= price;
    await writing(db, async (trx) => {
      const which = { endpoint_id: id, model, price, above: before };
      const changed = await trx('webhook_prices')
        .where(which)
        .update({ above: bit(above) });
      if (changed === 0 || before === null) return;
      const crossing = { eventId: `evt_${ids.uuid()}`, model, price, level, above };
      await tell(trx, text(row.account_id), priceCrossed(crossing, clock.nowMs()), id);
    });
  }
}
