/**
 * The audit beside a running gateway. It starts once a day, and when a member of the operator asks for it. One runs at
 * a time, whichever gateway was asked; its result is in the database, where all of them find it. Orders go on
 * meanwhile.
 */
import type { Knex } from 'knex';
import { type Actor, COMMAND_LINE, type ConsoleMember } from '#access/member.ts';
import { ChangeLog } from '#accounts/change-log.ts';
import { every, type Timer } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { Log } from '#base/log.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import type { AuditResult, AuditThread } from '#storage/audit/audit-thread.ts';
import { findingId } from '#storage/audit/findings.ts';
import type { SoldFigures } from '#storage/audit/sold-money.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { int, type Row, text, textOrNull } from '#storage/database/values.ts';

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
  readonly runs: AuditRuns;
  readonly #options: BackgroundAuditOptions;
  readonly #timer: Timer | null;
  #thread: AuditThread | null = null;
  #running: Promise<void> | null = null;
  #claiming: Promise<void> = Promise.resolve();
  #closed = false;

  /** Looks every hour whether the last audit began a day ago, until it is closed. */
  constructor(options: BackgroundAuditOptions) {
    this.#options = options;
    this.runs = new AuditRuns(options);
    this.#timer = options.daily
      ? every(options.clock, HOUR_MS, () => {
          this.#claiming = this.#claiming.then(() => this.#beginDaily());
        })
      : null;
  }

  /** Begins one in the background, unless one runs. */
  async begin(by: ConsoleMember): Promise<void> {
    this.#runClaimed(await this.runs.claim(by));
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
      this.#runClaimed(await this.runs.claim(DAILY, clock.nowMs() - DAY_MS + HOUR_MS / 2));
    } catch (error) {
      log.error({ err: error }, 'The audit of the day could not begin; trying again in an hour.');
    }
  }

  /**
   * Runs what was claimed. An audit that this gateway still runs was taken for dead, because its beats did not get
   * through.
   */
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
        .then(() => this.runs.beat(id))
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

  #end(id: string, result: AuditResult | null): Promise<void> {
    const { log } = this.#options;
    return this.runs
      .end(id, result)
      .catch((error: unknown) => log.error({ err: error }, 'The result of the audit could not be stored.'));
  }
}

/** After how long without a beat a run is given up: its gateway is gone. */
export const SILENT_MS = MINUTE_MS;
/** How many ended ones are kept. */
const RUNS_KEPT = 30;

/** A finding, with the member who acknowledged it; null if none has. */
export interface ShownFinding {
  readonly id: string;
  readonly sentence: string;
  readonly acknowledged: { readonly who: string; readonly atMs: number; readonly reason: string } | null;
}

/** An audit that ended. */
export interface AuditRun extends Omit<AuditResult, 'findings'> {
  /** The e-mail of a member, or `daily`. */
  readonly who: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly findings: readonly ShownFinding[];
}

/** The actor of the daily audit. */
export const DAILY = 'daily';

/** The runs in a database. */
export class AuditRuns {
  readonly #parts: OperatorOptions;
  readonly #changes: ChangeLog;

  constructor(parts: OperatorOptions) {
    this.#parts = parts;
    this.#changes = new ChangeLog(parts);
  }

  /**
   * A new run; null when one is under way, or another has begun after `noneSinceMs`. An audit that a member begins is
   * logged.
   */
  async claim(by: Actor | typeof DAILY, noneSinceMs: number = Number.POSITIVE_INFINITY): Promise<string | null> {
    const { db, clock, ids } = this.#parts;
    return writing(db, async (trx) => {
      await takeTurn(trx, 'audits');
      const nowMs = clock.nowMs();
      const [newest]: Row[] = await trx('audit_runs').orderBy('id', 'desc').limit(1);
      if (newest && (isUnderWay(newest, nowMs) || int(newest.started_at_ms) > noneSinceMs)) return null;
      const id = ids.uuid();
      const who = typeof by === 'string' ? by : by.email;
      await trx('audit_runs').insert({ id, who, started_at_ms: nowMs, beat_at_ms: nowMs });
      const old: string[] = await trx('audit_runs')
        .orderBy('id', 'desc')
        .offset(RUNS_KEPT)
        .limit(RUNS_KEPT)
        .pluck('id');
      await trx('audit_runs').whereIn('id', old).delete();
      if (by !== DAILY) await this.#changes.log(trx, by, { what: 'audit.run', subject: id, before: null, after: null });
      return id;
    });
  }

  /** Notes that the gateway of the run is alive. */
  async beat(id: string): Promise<void> {
    const { db, clock } = this.#parts;
    await writing(db, (trx) => trx('audit_runs').where({ id }).update({ beat_at_ms: clock.nowMs() }));
  }

  /** Ends a run; `result` is null when it could not be finished. */
  async end(id: string, result: AuditResult | null): Promise<void> {
    const { db, clock } = this.#parts;
    const ended = { ended_at_ms: clock.nowMs(), result_json: result && JSON.stringify(result, amountsAsText) };
    await writing(db, (trx) => trx('audit_runs').where({ id }).update(ended));
  }

  /**
   * Records why a finding of the last audit is accepted, in one transaction with its row in the change log; later ones
   * leave it out. An acknowledged finding stays as it was. Throws Fault not_found.
   */
  async acknowledge(by: ConsoleMember, id: string, reason: string): Promise<ShownFinding> {
    const { db, clock } = this.#parts;
    const { last } = await this.state();
    const finding = last?.findings.find((each) => each.id === id);
    if (!finding) throw new Fault('not_found', { message: 'The last audit has no such finding.' });
    const { sentence } = finding;
    return writing(db, async (trx) => {
      await takeTurn(trx, 'audits');
      const known = await trx('audit_acknowledgements').where({ finding: id }).first();
      if (known) return { ...finding, acknowledged: acknowledgedFrom(known) };
      const row = { finding: id, sentence, reason, who: by.email, created_at_ms: clock.nowMs() };
      await trx('audit_acknowledgements').insert(row);
      const after = { sentence, reason };
      await this.#changes.log(trx, by, { what: 'audit.acknowledge', subject: id, before: null, after });
      return { ...finding, acknowledged: acknowledgedFrom(row) };
    });
  }

  /** The state of the audits, in all gateways of the database. */
  async state() {
    const { db, clock } = this.#parts;
    const rows: Row[] = await db
      .knex('audit_runs')
      .orderBy('id', 'desc')
      .limit(RUNS_KEPT)
      .select('id', 'who', 'started_at_ms', 'beat_at_ms', 'ended_at_ms', db.knex.raw(HAS_RESULT));
    const nowMs = clock.nowMs();
    const running = rows.find((row) => isUnderWay(row, nowMs));
    const finished = rows.findIndex((row) => int(row.finished) === 1);
    const last = rows[finished];
    const failed = rows.slice(0, finished === -1 ? rows.length : finished).find((row) => row !== running);
    return {
      running: running ? { who: text(running.who), startedAtMs: int(running.started_at_ms) } : null,
      /** The newest that came to its end; null before the first. */
      last: last ? await this.#run(last) : null,
      /** When one after `last` could not be finished; null for none. */
      failedAtMs: failed ? int(failed.ended_at_ms ?? failed.beat_at_ms) : null,
    };
  }

  async #run(row: Row): Promise<AuditRun> {
    const { knex } = this.#parts.db;
    const stored: Row | undefined = await knex('audit_runs').where({ id: row.id }).first('result_json');
    const { findings, ...result } = resultFrom(text(stored?.result_json));
    return {
      ...result,
      who: text(row.who),
      startedAtMs: int(row.started_at_ms),
      endedAtMs: int(row.ended_at_ms),
      findings: await shownFindings(knex, findings),
    };
  }
}

const HAS_RESULT = 'CASE WHEN result_json IS NULL THEN 0 ELSE 1 END AS finished';

function isUnderWay(row: Row, nowMs: number): boolean {
  return row.ended_at_ms === null && int(row.beat_at_ms) > nowMs - SILENT_MS;
}

/** The findings, with who has acknowledged them since. */
async function shownFindings(knex: Knex, sentences: readonly string[]): Promise<ShownFinding[]> {
  const ids = sentences.map(findingId);
  const rows: Row[] = await knex('audit_acknowledgements').whereIn('finding', ids);
  const known = new Map(rows.map((row) => [text(row.finding), acknowledgedFrom(row)]));
  return sentences.map((sentence) => {
    const id = findingId(sentence);
    return { id, sentence, acknowledged: known.get(id) ?? null };
  });
}

/** The person who acknowledged a finding, the time and the reason. */
function acknowledgedFrom(row: Row) {
  return { who: textOrNull(row.who) ?? COMMAND_LINE, atMs: int(row.created_at_ms), reason: text(row.reason) };
}

/** A double would round them. */
const amountsAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

function resultFrom(json: string): AuditResult {
  const { money, ...result } = JSON.parse(json);
  const figures = ({ charged, estimated, refunded, writtenOff, ...group }: StoredGroup) => ({
    ...group,
    charged: BigInt(charged),
    estimated: BigInt(estimated),
    refunded: BigInt(refunded),
    writtenOff: BigInt(writtenOff),
  });
  return { ...result, money: { days: money.days.map(figures), models: money.models.map(figures) } };
}

type StoredGroup = { readonly [Name in keyof SoldFigures]: SoldFigures[Name] extends bigint ? string : number };
