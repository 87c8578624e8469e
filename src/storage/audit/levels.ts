/** Point (9) of the audit: levels and quotes have no gaps and stay within bounds, and windows follow each other. */
import type { Knex } from 'knex';
import { int, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';

/** The bounds of one market's published level. */
export interface LevelBounds {
  readonly floor: number;
  readonly ceiling: number;
}

/** No listing may have a higher ceiling: 10^6 USD. */
const WIDEST: LevelBounds = { floor: 0, ceiling: 1e15 };

/** `bounds` by model, as configured now; other models are checked against the widest bounds of any listing. */
export async function auditLevels(
  trx: Knex.Transaction,
  bounds: ReadonlyMap<string, LevelBounds>,
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
    const { floor, ceiling } = bounds.get(model) ?? WIDEST;
    const last = int(row.last_seq);
    findings.unless(
      int(row.number) === last - int(row.first_seq) + 1,
      () => `Market ${model}: the numbers of its levels have gaps.`,
    );
    findings.unless(
      int(row.lowest) >= floor && int(row.highest) <= ceiling,
      () => `Market ${model}: levels from ${int(row.lowest)} to ${int(row.highest)} leave ${floor} to ${ceiling}.`,
    );
    findings.unless(seqs.get(model) === last, () => `Market ${model}: its newest level is not the one kept as newest.`);
  }
}
