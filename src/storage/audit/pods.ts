/** Point (10) of the audit: no pod ran more orders at once than it has slots. */
import type { Knex } from 'knex';
import { column, described } from '../database/codec.ts';
import { LIVE } from '../database/dialects/dialect.ts';
import { int, json, orNull, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';

/**
 * `slots` by pod id, the most where they follow an engine. Only the present can be checked: which slots an abandoned
 * attempt had is not stored. What runs on a pod when it gets fewer goes on, so it may have as many as it had at any moment
 * since the first of them started.
 */
export async function auditPods(
  trx: Knex.Transaction,
  { slots, changes }: { readonly slots: ReadonlyMap<string, number>; readonly changes: LiveChanges | null },
  findings: Findings,
): Promise<void> {
  const rows: Row[] = await trx('orders')
    .whereRaw(LIVE)
    .where({ status: 'executing' })
    .groupBy('pod')
    .select('pod', trx.raw('COUNT(*) AS number, MIN(admitted_at_ms) AS first_ms'));
  for (const row of rows) {
    const most = slots.get(text(row.pod));
    if (most === undefined || int(row.number) <= most) continue;
    const byHand = changes?.mostSlots(text(row.pod), int(row.first_ms)) ?? null;
    if (changes === null || (byHand !== null && int(row.number) > byHand))
      findings.add(`Pod ${text(row.pod)} runs ${int(row.number)} orders in ${most} slots.`);
  }
}

// What was changed while gateways ran, as the log of changes has it: slots that lie over the file, and settings that the file
// had otherwise before. What is checked against the configuration of now must not be judged by it for the time before.

/** The time between the row of a change, which is written first, and the last use of the value before it. */
const TAKEN_MS = 10_000;

/** The changes since the gateways that run now, or ran last, began. */
export class LiveChanges {
  readonly #slots: readonly SlotsByHand[];
  readonly #reloads: readonly Reloaded[];

  private constructor(slots: readonly SlotsByHand[], reloads: readonly Reloaded[]) {
    this.#slots = slots;
    this.#reloads = reloads;
  }

  /** Reads all of them. */
  static async read(trx: Knex.Transaction, findings: Findings): Promise<LiveChanges> {
    const rows: Row[] = await trx('audit_log')
      .whereIn('what', ['pod.slots', 'pod.drain', 'pod.resume', 'configuration.reload'])
      .orderBy('id');
    const sinceMs = await runningSinceMs(trx);
    const [slots, reloads]: [SlotsByHand[], Reloaded[]] = [[], []];
    for (const { what, subject: pod, atMs, after } of findings.read('Change', rows, changes.from)) {
      if (what === 'configuration.reload') reloads.push({ atMs, settings: settingsIn(after ?? {}) });
      // After a restart the file decides again.
      else if (atMs >= sinceMs) slots.push({ atMs, pod, slots: typeof after?.slots === 'number' ? after.slots : null });
    }
    return new LiveChanges(slots, reloads);
  }

  /**
   * The most slots that an operator gave a pod at any moment since then, 0 for none; null when the file gave it others since
   * then: how many it had before is not known.
   */
  mostSlots(pod: string, sinceMs: number): number | null {
    const inFile = [`pods[${pod}]`, `pods[${pod}].slots`];
    const replacedMs = this.#lastReload(inFile);
    if (replacedMs !== null && replacedMs + TAKEN_MS >= sinceMs) return null;
    const own = this.#slots.filter((change) => change.pod === pod && change.atMs > (replacedMs ?? 0));
    // The last before that moment was in force at it.
    const first = own.findLastIndex(({ atMs }) => atMs <= sinceMs);
    return Math.max(0, ...own.slice(Math.max(0, first)).map(({ slots }) => slots ?? 0));
  }

  /** Since when a market goes by the bounds of the file: the last reload that changed them; 0 for none. */
  boundsSinceMs(model: string): number {
    const settings = ['', '.floor', '.ceiling', '.reserve', '.type', '.preview'].map(
      (name) => `models[${model}]${name}`,
    );
    const changedMs = this.#lastReload(settings);
    return changedMs === null ? 0 : changedMs + TAKEN_MS;
  }

  #lastReload(settings: readonly string[]): number | null {
    const concerns = (reload: Reloaded) => settings.some((setting) => reload.settings.has(setting));
    return this.#reloads.findLast(concerns)?.atMs ?? null;
  }
}

const changes = described({
  what: text,
  subject: text,
  atMs: int,
  after: column('after_json', orNull(json<Readonly<Record<string, unknown>>>())),
});

interface SlotsByHand {
  readonly atMs: number;
  readonly pod: string;
  readonly slots: number | null;
}

interface Reloaded {
  readonly atMs: number;
  readonly settings: ReadonlySet<string>;
}

/** What is set by hand lasts as long as one gateway that knows it: runs that overlap count as one. */
async function runningSinceMs(trx: Knex.Transaction): Promise<number> {
  const runs: Row[] = await trx('gateway_runs').orderBy('from_ms', 'desc').select('from_ms', 'until_ms');
  let sinceMs = Number.POSITIVE_INFINITY;
  for (const run of runs) {
    if (sinceMs !== Number.POSITIVE_INFINITY && int(run.until_ms) < sinceMs) continue;
    sinceMs = int(run.from_ms);
  }
  return sinceMs === Number.POSITIVE_INFINITY ? 0 : sinceMs;
}

/** A reload from the console has the settings as keys, one by a signal lists them. */
function settingsIn(after: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const { added = [], removed = [], changed } = after;
  return new Set(Array.isArray(changed) ? [changed, added, removed].flat().map(String) : Object.keys(after));
}
