/** Point (9) of the audit: levels and quotes have no gaps and stay within bounds, and windows follow each other. */
import type { Knex } from 'knex';
import { int, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';

/** The bounds of one market's published level. */
export interface LevelBounds {
  readonly floor: number;
  readonly ceiling: number;
}

/** Bounds, and since when they are in force: what was published before is not checked against them. */
export interface BoundsInForce extends LevelBounds {
  readonly sinceMs: number;
}

/** No listing may have a higher ceiling: 10^6 USD. */
const WIDEST: BoundsInForce = { floor: 0, ceiling: 1e15, sinceMs: 0 };

/** `bounds` by model, as configured now; other models are checked against the widest bounds of any listing. */
export async function auditLevels(
  trx: Knex.Transaction,
  bounds: ReadonlyMap<string, BoundsInForce>,
  findings: Findings,
): Promise<void> {
  const rows: Row[] = await trx('levels')
    .groupBy('model')
    .select('model')
    .select(trx.raw('COUNT(*) AS number, MIN(level_seq) AS first_seq, MAX(level_seq) AS last_seq'))
    .select(trx.raw('MIN(level) AS lowest, MAX(level) AS highest'));
  const newest: Row[] = await trx('markets');
  const seqs = new Map(newest.map((row) => [text(row.model), int(row.level_seq)]));
  for (const row of rows) {
    const model = text(row.model);
    const { floor, ceiling, sinceMs } = bounds.get(model) ?? WIDEST;
    const last = int(row.last_seq);
    const { lowest, highest } = sinceMs === 0 ? row : await rangeSince(trx, model, sinceMs);
    findings.unless(
      int(row.number) === last - int(row.first_seq) + 1,
      () => `Market ${model}: the numbers of its levels have gaps.`,
    );
    findings.unless(
      lowest === null || (int(lowest) >= floor && int(highest) <= ceiling),
      () => `Market ${model}: levels from ${int(lowest)} to ${int(highest)} leave ${floor} to ${ceiling}.`,
    );
    findings.unless(seqs.get(model) === last, () => `Market ${model}: its newest level is not the one kept as newest.`);
  }
}

/** The lowest and the highest level published since then; both null without any. */
async function rangeSince(trx: Knex.Transaction, model: string, sinceMs: number): Promise<Row> {
  const row: Row | undefined = await trx('levels')
    .where({ model })
    .where('at_ms', '>', sinceMs)
    .min({ lowest: 'level' })
    .max({ highest: 'level' })
    .first();
  return row ?? { lowest: null, highest: null };
}
