/** Point (8) of the audit: payments, what was taken back of them, and the entries of both agree. */
import type { Knex } from 'knex';
import { inPages } from '../database/keyset.ts';
import { money, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';

const ROWS_PER_READ = 200;

/** Checks every payment, every reversal and every entry of theirs; refused events are findings, too. */
export async function auditPayments(trx: Knex.Transaction, findings: Findings): Promise<void> {
  await auditCredits(trx, findings);
  await auditReversals(trx, findings);
  await auditEntries(trx, findings);
  await auditDebts(trx, findings);
  const refused = trx('payment_events').where({ outcome: 'refused' });
  await findings.each(refused, (row) => `Payment event ${text(row.event_id)} was refused: ${text(row.reason)}`);
}

/** A payment that was paid has one entry, of its amount, and an open one has none. */
async function auditCredits(trx: Knex.Transaction, findings: Findings): Promise<void> {
  for await (const rows of inPages(() => trx('payments'), ROWS_PER_READ))
    for (const row of rows) {
      const id = text(row.id);
      const amounts: Row[] = await trx('entries')
        .where({ account_id: row.account_id, kind: 'top_up', unique_key: `stripe:${row.credited_by}` })
        .select('amount');
      const sum = amounts.reduce((total, { amount }) => total + money(amount), 0n);
      const expected = row.status === 'paid' ? money(row.amount) : 0n;
      if (sum !== expected) findings.add(`Payment ${id} is ${text(row.status)}: ${sum} was credited, not ${expected}.`);
    }
}

/** Entries took what a reversal says, and with what is owed that is all of it, once its payment is known. */
async function auditReversals(trx: Knex.Transaction, findings: Findings): Promise<void> {
  for await (const rows of inPages(() => trx('payment_reversals'), ROWS_PER_READ))
    for (const row of rows) {
      const id = text(row.id);
      const [entered, owed] = [money(row.entered), money(row.owed)];
      const entries: Row[] = await trx('entries')
        .where({ account_id: row.account_id ?? '', kind: 'reversal' })
        .where('unique_key', '>=', `stripe:${id}:`)
        .where('unique_key', '<', `stripe:${id};`)
        .select('amount');
      const sum = entries.reduce((total, { amount }) => total + money(amount), 0n);
      if (sum !== -entered) findings.add(`Reversal ${id}: its entries sum to ${sum}, it has taken ${entered}.`);
      const paid = await trx('payments').where({ intent: row.intent, status: 'paid' }).first('account_id');
      if ((paid === undefined) !== (row.account_id === null))
        findings.add(`Reversal ${id} does not have the account of its payment.`);
      const expected = row.account_id !== null && row.state === 'taken' ? money(row.amount) : 0n;
      if (entered + owed !== expected)
        findings.add(`Reversal ${id}: ${entered} is taken and ${owed} owed, together not ${expected}.`);
    }
}

/** No entry of a payment or a reversal without that. */
async function auditEntries(trx: Knex.Transaction, findings: Findings): Promise<void> {
  const ofPayments = trx('payments')
    .select('id')
    .whereRaw('payments.account_id = entries.account_id')
    .whereRaw("CONCAT('stripe:', payments.credited_by) = entries.unique_key");
  const ofReversals = trx('payment_reversals')
    .select('id')
    .whereRaw('payment_reversals.account_id = entries.account_id')
    .whereRaw("entries.unique_key >= CONCAT('stripe:', payment_reversals.id, ':')")
    .whereRaw("entries.unique_key < CONCAT('stripe:', payment_reversals.id, ';')");
  const strays = trx('entries')
    .where('unique_key', '>=', 'stripe:')
    .where('unique_key', '<', 'stripe;')
    .whereNotExists(ofPayments)
    .whereNotExists(ofReversals)
    .select('account_id', 'unique_key');
  await findings.each(
    strays,
    (row) => `Account ${text(row.account_id)}: entry ${text(row.unique_key)} belongs to no payment.`,
  );
}

/** What an account owes is what its reversals owe. */
async function auditDebts(trx: Knex.Transaction, findings: Findings): Promise<void> {
  const debts: Row[] = await trx('payment_reversals')
    .whereNotNull('account_id')
    .groupBy('account_id')
    .select('account_id')
    .sum({ owed: 'owed' });
  const owedBy = new Map(debts.map((row) => [text(row.account_id), money(row.owed)]));
  const owing: Row[] = await trx('accounts')
    .where('owed', '<>', 0)
    .orWhereIn('id', trx('payment_reversals').where('owed', '>', 0).select('account_id'))
    .select('id', 'owed');
  for (const { id, owed } of owing) {
    const expected = owedBy.get(text(id)) ?? 0n;
    if (money(owed) !== expected) findings.add(`Account ${text(id)} owes ${money(owed)}, its reversals ${expected}.`);
  }
}
