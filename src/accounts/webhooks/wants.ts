/** What the journal knows of an account's endpoints: one number in its row. */
import type { Knex } from 'knex';
import { flag, kind, type Row, text } from '#storage/database/values.ts';
import { wantsOf } from '#storage/journal/webhook-event.ts';

/**
 * Brings `accounts.webhooks` up to date, in the transaction that changed an endpoint. The operator's endpoints are of no
 * account, and nothing is written for them by the journal.
 */
export async function refreshWants(trx: Knex.Transaction, accountId: string): Promise<void> {
  if (accountId === '') return;
  const rows: Row[] = await trx('webhook_endpoints').where({ account_id: accountId, enabled: 1 });
  const bits = rows.map((row) => wantsOf({ events: eventNames(row.events), allOrders: flag(row.all_orders) }));
  const webhooks = bits.reduce((all, one) => all | one, 0);
  await trx('accounts').where({ id: accountId }).update({ webhooks });
}

/** The events of an endpoint. In its row each name is found between spaces. */
export const eventNames = kind<readonly string[]>(
  (stored) => text(stored).trim().split(' ').filter(Boolean),
  (events) => ` ${events.join(' ')} `,
);
