/**
 * The audit beside a running gateway: begun by a member of the operator, and once a day by itself. One runs at a time,
 * whichever gateway was asked; its result is in the database, where all of them find it. Orders go on meanwhile.
 */

import type { ConsoleMember } from '#access/member.ts';
import { type ChangeLogger, changeLogger } from '#accounts/change-log.ts';
import type { Timer } from '#base/clock.ts';
import { every } from '#base/every.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import type { AuditResult, AuditState, Audits, ShownFinding } from '#storage/audit/audit-ports.ts';
import type { AuditThread } from '#storage/audit/audit-thread.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { AuditRuns, acknowledgedFrom, SILENT_MS } from './audit-runs.ts';

/** Who begins the audit of each day. */
export const DAILY = 'daily';

/** What it needs. */
export interface BackgroundAuditOptions extends OperatorOptions {
  readonly log: Log;
  /** Begins an audit of what is configured now. */
  readonly start: () => AuditThread;
  /** Whether one begins every day. */
  readonly daily: boolean;
}

/** The audits of one gateway. */
export class BackgroundAudit implements Audits {
  readonly #options: BackgroundAuditOptions;
  readonly #runs: AuditRuns;
  readonly #changes: ChangeLogger;
  readonly #timer: Timer | null;
  #thread: AuditThread | null = null;
  #running: Promise<void> | null = null;
  #claiming: Promise<void> = Promise.resolve();
  #closed = false;

  /** Looks every hour whether the last audit began a day ago, until it is closed. */
  constructor(options: BackgroundAuditOptions) {
    this.#options = options;
    this.#runs = new AuditRuns(options);
    this.#changes = changeLogger(options);
    this.#timer = options.daily
      ? every(options.clock, HOUR_MS, () => {
          this.#claiming = this.#claiming.then(() => this.#daily());
        })
      : null;
  }

  state(): Promise<AuditState> {
    return this.#runs.state();
  }

  async begin(by: ConsoleMember): Promise<void> {
    const id = await this.#runs.claim({
      who: by.email,
      noting: (trx, subject) => this.#changes.log(trx, by, { what: 'audit.run', subject, before: null, after: null }),
    });
    this.#go(id);
  }

  async acknowledge(by: ConsoleMember, findingId: string, reason: string): Promise<ShownFinding> {
    const { last } = await this.state();
    const finding = last?.findings.find(({ id }) => id === findingId);
    if (!finding) throw new Fault('not_found', { message: 'The last audit has no such finding.' });
    const { db, clock } = this.#options;
    const { sentence } = finding;
    return writing(db, async (trx) => {
      await takeTurn(trx, 'audits');
      const known = await trx('audit_acknowledgements').where({ finding: findingId }).first();
      if (known) return { ...finding, acknowledged: acknowledgedFrom(known) };
      const row = { finding: findingId, sentence, reason, who: by.email, created_at_ms: clock.nowMs() };
      await trx('audit_acknowledgements').insert(row);
      const after = { sentence, reason };
      await this.#changes.log(trx, by, { what: 'audit.acknowledge', subject: findingId, before: null, after });
      return { ...finding, acknowledged: acknowledgedFrom(row) };
    });
  }

  /** Stops the audit under way. Resolves when nothing of it uses the database any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#claiming;
    await this.#thread?.stop();
    await this.#running;
  }

  async #daily(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      // Not a whole day, so that it stays at the same hour.
      this.#go(await this.#runs.claim({ who: DAILY, noneSinceMs: clock.nowMs() - DAY_MS + HOUR_MS / 2 }));
    } catch (error) {
      log.error({ err: error }, 'The audit of the day could not begin; trying again in an hour.');
    }
  }

  /** Runs what was claimed. One that this gateway still runs was taken for dead, because its beats did not get through. */
  #go(id: string | null): void {
    if (id === null) return;
    const earlier = this.#running;
    this.#running = (async () => {
      await this.#thread?.stop();
      await earlier;
      if (this.#closed) await this.#end(id, null);
      else await this.#run(id);
    })();
  }

  async #run(id: string): Promise<void> {
    const { clock, log, start } = this.#options;
    let beat: Promise<void> = Promise.resolve();
    const beats = every(clock, SILENT_MS / 6, () => {
      beat = beat
        .then(() => this.#runs.beat(id))
        .catch((error: unknown) => log.warn({ err: error }, 'A beat of the audit did not commit.'));
    });
    this.#thread = start();
    const result = await this.#thread.result.catch((error: unknown) => {
      if (!this.#closed) log.error({ err: error }, 'The audit could not be finished.');
      return null;
    });
    this.#thread = null;
    beats.cancel();
    await beat;
    if (result && result.findings.length > 0)
      log.error(
        { findings: result.findings.length },
        'The audit failed; sluice audit and the console list its findings.',
      );
    else if (result) log.info({ accounts: result.accounts, orders: result.orders }, 'The audit passed.');
    await this.#end(id, result);
  }

  async #end(id: string, result: AuditResult | null): Promise<void> {
    try {
      await this.#runs.end(id, result);
    } catch (error) {
      this.#options.log.error({ err: error }, 'The result of the audit could not be stored.');
    }
  }
}
