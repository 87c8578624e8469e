/** Findings that the operator has explained, so that the audit can pass again. */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type { Clock } from '#base/clock.ts';
import type { Database } from '../database/database.ts';
import { writing } from '../database/transaction.ts';

/** The id of a finding: the same for the same sentence. When its figures change, it is another finding. */
export function findingId(sentence: string): string {
  return createHash('sha256').update(sentence).digest('hex').slice(0, 12);
}

/** The ids of all acknowledged findings. */
export async function acknowledgedIds(trx: Knex): Promise<ReadonlySet<string>> {
  return new Set<string>(await trx('audit_acknowledgements').pluck('finding'));
}

/** Records why a finding is accepted. Call it once for each finding. */
export async function acknowledge(
  db: Database,
  clock: Clock,
  found: { sentence: string; reason: string },
): Promise<void> {
  const row = { ...found, finding: findingId(found.sentence), created_at_ms: clock.nowMs() };
  await writing(db, (trx) => trx('audit_acknowledgements').insert(row));
}
