/** Point (10) of the audit: no pod ran more orders at once than it has slots. */
import type { Knex } from 'knex';
import { LIVE } from '../database/dialects/dialect.ts';
import { int, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';

/** `slots` by pod id. Only the present can be checked: which slots an abandoned attempt had is not stored. */
export async function auditPods(
  trx: Knex.Transaction,
  slots: ReadonlyMap<string, number>,
  findings: Findings,
): Promise<void> {
  const rows: Row[] = await trx('orders')
    .whereRaw(LIVE)
    .where({ status: 'executing' })
    .groupBy('pod')
    .select('pod', trx.raw('COUNT(*) AS number'));
  for (const row of rows) {
    const most = slots.get(text(row.pod));
    if (most === undefined) continue;
    findings.unless(
      int(row.number) <= most,
      () => `Pod ${text(row.pod)} runs ${int(row.number)} orders in ${most} slots.`,
    );
  }
}
