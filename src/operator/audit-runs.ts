/**
 * The audits that gateways ran, in the database, so that each of them shows what any of them found. Claiming one takes
 * turns: of several gateways that want to begin at once one does.
 */
import type { Knex } from 'knex';
import { COMMAND_LINE } from '#accounts/change-log.ts';
import { MINUTE_MS } from '#base/time.ts';
import { findingId } from '#storage/audit/acknowledgements.ts';
import type { AuditResult, AuditRun, AuditState, ShownFinding, SoldFigures } from '#storage/audit/audit-ports.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { int, type Row, text, textOrNull } from '#storage/database/values.ts';

/** After how long without a beat a run is given up: its gateway is gone. */
export const SILENT_MS = MINUTE_MS;
/** How many ended ones are kept. */
const RUNS_KEPT = 30;

/** Who begins an audit, and what must be so. */
export interface AuditStart {
  readonly who: string;
  /** Only if no other began after this time. */
  readonly noneSinceMs?: number;
  /** Writes what belongs to it, in its transaction. */
  readonly noting?: (trx: Knex.Transaction, runId: string) => Promise<void>;
}

/** The runs in a database. */
export class AuditRuns {
  readonly #options: OperatorOptions;

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  /** A new run; null when one is under way, or another has begun too recently. */
  async claim({ who, noneSinceMs = Number.POSITIVE_INFINITY, noting }: AuditStart): Promise<string | null> {
    const { db, clock, ids } = this.#options;
    return writing(db, async (trx) => {
      await takeTurn(trx, 'audits');
      const nowMs = clock.nowMs();
      const [newest]: Row[] = await trx('audit_runs').orderBy('id', 'desc').limit(1);
      if (newest && (isUnderWay(newest, nowMs) || int(newest.started_at_ms) > noneSinceMs)) return null;
      const id = ids.uuid();
      await trx('audit_runs').insert({ id, who, started_at_ms: nowMs, beat_at_ms: nowMs });
      const old: string[] = await trx('audit_runs')
        .orderBy('id', 'desc')
        .offset(RUNS_KEPT)
        .limit(RUNS_KEPT)
        .pluck('id');
      await trx('audit_runs').whereIn('id', old).delete();
      await noting?.(trx, id);
      return id;
    });
  }

  /** Notes that the gateway of the run is alive. */
  async beat(id: string): Promise<void> {
    const { db, clock } = this.#options;
    await writing(db, (trx) => trx('audit_runs').where({ id }).update({ beat_at_ms: clock.nowMs() }));
  }

  /** Ends a run; `result` is null when it could not be finished. */
  async end(id: string, result: AuditResult | null): Promise<void> {
    const { db, clock } = this.#options;
    const ended = { ended_at_ms: clock.nowMs(), result_json: result && resultJson(result) };
    await writing(db, (trx) => trx('audit_runs').where({ id }).update(ended));
  }

  async state(): Promise<AuditState> {
    const { db, clock } = this.#options;
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
      last: last ? await this.#run(last) : null,
      failedAtMs: failed ? int(failed.ended_at_ms ?? failed.beat_at_ms) : null,
    };
  }

  async #run(row: Row): Promise<AuditRun> {
    const { knex } = this.#options.db;
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

/** Who acknowledged a finding, when and why. */
export function acknowledgedFrom(row: Row) {
  return { who: textOrNull(row.who) ?? COMMAND_LINE, atMs: int(row.created_at_ms), reason: text(row.reason) };
}

/** Amounts are text in JSON: a double would round them. */
function resultJson(result: AuditResult): string {
  return JSON.stringify(result, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

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
