/**
 * Events of what no unit of the journal changes: levels that cross a price, pods that go down or come back, and budgets for
 * which a request was refused before it was an order. Every two seconds they are compared with what was told last; that
 * and the message change in one transaction, so nothing is told twice. What comes and goes in between is not told.
 */
import type { Clock } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import { budgetAt } from '#base/key-budget.ts';
import type { Log } from '#base/log.ts';
import { RepeatedWork } from '#base/repeated-work.ts';
import type { Database } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { bit, int, intOrNull, type Row, text } from '#storage/database/values.ts';
import { tell } from '#storage/journal/outbox.ts';
import { budgetReached, podChanged, WANTS } from '#storage/journal/webhook-event.ts';
import { budgetFrom, lockAccount } from '#storage/records/account.ts';
import { PriceCrossings } from './crossings.ts';

const LOOK_MS = 2_000;
/** How many keys are remembered until the next look. */
const KEYS_MAX = 1_000;

/** A pod as the watch sees it; `sinceMs` is null until something is known of it. */
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
  /** Whether this gateway looks at levels and pods: of several, one does. Always when absent. */
  readonly mayRun?: (() => boolean) | undefined;
}

/** Compares until it is closed. */
export class WebhookWatch {
  readonly #options: WatchOptions;
  readonly #rounds: RepeatedWork;
  readonly #crossings: PriceCrossings;
  /** Keys for whose budget a request was refused, and their accounts. */
  readonly #spent = new Map<string, string>();

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#crossings = new PriceCrossings(options);
    this.#rounds = new RepeatedWork(options.clock, LOOK_MS, () => this.#compareAll());
  }

  /** A request was refused because the budget of its key does not cover it. */
  budgetSpent(accountId: string, keyId: string): void {
    if (this.#spent.size < KEYS_MAX) this.#spent.set(keyId, accountId);
  }

  /** Whether something is being compared. Tests that move the clock by hand wait for it. */
  get busy(): boolean {
    return this.#rounds.busy;
  }

  /** Resolves when nothing of it uses the database any more. */
  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #compareAll(): Promise<void> {
    const { db, log, mayRun } = this.#options;
    try {
      for (const [keyId, accountId] of this.#spent) {
        await this.#reportBudget(accountId, keyId);
        this.#spent.delete(keyId);
      }
      if (mayRun?.() === false) return;
      await this.#comparePods();
      await this.#crossings.reportAll();
    } catch (error) {
      if (!db.dialect.isOutage(error)) log.error({ err: error }, 'What webhooks watch could not be compared.');
    }
  }

  async #comparePods(): Promise<void> {
    const { db, clock, ids, pods } = this.#options;
    const { knex } = db;
    const operators = await knex('webhook_endpoints').where({ account_id: '', enabled: 1 }).first('id');
    if (!operators) return;
    const rows: Row[] = await knex('webhook_pods');
    const known = new Map(rows.map((row) => [text(row.pod), int(row.up) === 1]));
    for (const { pod, healthy, sinceMs } of pods()) {
      // One that was never seen is told of only when it is down.
      if (sinceMs === null || known.get(pod) === healthy) continue;
      await writing(db, async (trx) => {
        await trx('webhook_pods')
          .insert({ pod, up: bit(healthy) })
          .onConflict('pod')
          .merge();
        if (healthy && !known.has(pod)) return;
        await tell(trx, '', podChanged({ eventId: `evt_${ids.uuid()}`, pod, up: healthy }, clock.nowMs()));
      });
    }
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
}
