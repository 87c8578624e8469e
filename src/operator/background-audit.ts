/**
 * The audit beside a running gateway: begun by a member of the operator, and once a day by itself. One runs at a time,
 * whichever gateway was asked; its result is in the database, where all of them find it. Orders go on meanwhile.
 */

import type { ConsoleMember } from '#access/member.ts';
import type { Timer } from '#base/clock.ts';
import { every } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { DAY_MS, HOUR_MS } from '#base/time.ts';
import type { AuditResult, AuditThread } from '#storage/audit/audit-thread.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { AuditRuns, type AuditState, DAILY, type ShownFinding, SILENT_MS } from './audit-runs.ts';

/** What it needs. */
export interface BackgroundAuditOptions extends OperatorOptions {
  readonly log: Log;
  /** Begins an audit of what is configured now. */
  readonly start: () => AuditThread;
  /** Whether one begins every day. */
  readonly daily: boolean;
}

/** The audits of one gateway. */
export class BackgroundAudit {
  readonly #options: BackgroundAuditOptions;
  readonly #runs: AuditRuns;
  readonly #timer: Timer | null;
  #thread: AuditThread | null = null;
  #running: Promise<void> | null = null;
  #claiming: Promise<void> = Promise.resolve();
  #closed = false;

  /** Looks every hour whether the last audit began a day ago, until it is closed. */
  constructor(options: BackgroundAuditOptions) {
    this.#options = options;
    this.#runs = new AuditRuns(options);
    this.#timer = options.daily
      ? every(options.clock, HOUR_MS, () => {
          this.#claiming = this.#claiming.then(() => this.#beginDaily());
        })
      : null;
  }

  /** Where audits stand, in all gateways of the database. */
  state(): Promise<AuditState> {
    return this.#runs.state();
  }

  /** Begins one in the background, unless one runs. */
  async begin(by: ConsoleMember): Promise<void> {
    this.#runClaimed(await this.#runs.claim(by));
  }

  /**
   * Records why a finding of the last audit is accepted; later ones leave it out. One that is acknowledged stays as it
   * was. Throws Fault not_found.
   */
  async acknowledge(by: ConsoleMember, findingId: string, reason: string): Promise<ShownFinding> {
    const { last } = await this.state();
    const finding = last?.findings.find(({ id }) => id === findingId);
    if (!finding) throw new Fault('not_found', { message: 'The last audit has no such finding.' });
    return this.#runs.acknowledge(by, finding, reason);
  }

  /** Stops the audit under way. Resolves when nothing of it uses the database any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#claiming;
    await this.#thread?.stop();
    await this.#running;
  }

  async #beginDaily(): Promise<void> {
    const { clock, log } = this.#options;
    try {
      // Not a whole day, so that it stays at the same hour.
      this.#runClaimed(await this.#runs.claim(DAILY, clock.nowMs() - DAY_MS + HOUR_MS / 2));
    } catch (error) {
      log.error({ err: error }, 'The audit of the day could not begin; trying again in an hour.');
    }
  }

  /** Runs what was claimed. One that this gateway still runs was taken for dead, because its beats did not get through. */
  #runClaimed(id: string | null): void {
    if (id === null) return;
    const earlier = this.#running;
    this.#running = (async () => {
      await this.#thread?.stop();
      await earlier;
      if (this.#closed) await this.#end(id, null);
      else await this.#runToEnd(id);
    })();
  }

  async #runToEnd(id: string): Promise<void> {
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
