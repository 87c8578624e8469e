/** Point (10) of the audit: no pod ran more orders at once than it has slots. */
import type { Knex } from 'knex';
import { LIVE } from '../database/dialects/dialect.ts';
import { int, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';
import type { LiveChanges } from './live-changes.ts';

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
    findings.unless(
      changes !== null && (byHand === null || int(row.number) <= byHand),
      () => `Pod ${text(row.pod)} runs ${int(row.number)} orders in ${most} slots.`,
    );
  }
}
