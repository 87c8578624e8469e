/**
 * The lists by which the orders and the usage of a tag are found have each tag of an order once, and nothing else. So what is
 * summed by a tag is what the orders with that tag cost.
 */
import type { Knex } from 'knex';
import { int, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';

const IS_ANOTHER = "INSTR(COALESCE(orders.tags, ''), CONCAT(',', tag, ',')) = 0";
/** Commas are before, between and after the tags of an order. */
const NUMBER = "COALESCE(SUM(LENGTH(tags) - LENGTH(REPLACE(tags, ',', '')) - 1), 0) AS number";

/** Finds tags that are listed and not those of an order. */
export async function auditTags(trx: Knex.Transaction, findings: Findings): Promise<void> {
  const tagged = trx('order_tags')
    .leftJoin('orders', (on) => {
      on.on('orders.id', 'order_tags.order_id');
      for (const column of ['account_id', 'created_at_ms']) on.on(`orders.${column}`, `order_tags.${column}`);
    })
    .whereRaw(IS_ANOTHER)
    .select('order_id', 'tag');
  await findings.each(
    tagged,
    (row) => `Order ${text(row.order_id)}: the tag ${text(row.tag)} is listed and not its own.`,
  );
  const used = trx('usage_tags')
    .leftJoin('usage_records', (on) => {
      for (const column of ['account_id', 'created_at_ms', 'order_id'])
        on.on(`usage_records.${column}`, `usage_tags.${column}`);
    })
    .leftJoin('orders', 'orders.id', 'usage_records.order_id')
    .whereRaw(IS_ANOTHER)
    .select('usage_tags.order_id', 'tag');
  await findings.each(
    used,
    (row) => `Order ${text(row.order_id)}: its usage is listed by the tag ${text(row.tag)}, not its own.`,
  );
}

/** Finds that an account has orders or usage with tags that are not listed. */
export async function auditTagCounts(trx: Knex.Transaction, accountId: string, findings: Findings): Promise<void> {
  const orders = trx('orders').where({ 'orders.account_id': accountId }).whereNotNull('tags');
  const settled = orders.clone().join('usage_records', 'usage_records.order_id', 'orders.id');
  const sources = [
    { noun: 'orders', table: 'order_tags', query: orders },
    { noun: 'settled orders', table: 'usage_tags', query: settled },
  ];
  for (const { noun, table, query } of sources) {
    const [had]: Row[] = await query.select(trx.raw(NUMBER));
    const [listed]: Row[] = await trx(table).where({ account_id: accountId }).count({ number: '*' });
    const [number, known] = [int(had?.number), int(listed?.number)];
    if (number !== known) findings.add(`Account ${accountId}: its ${noun} have ${number} tags, ${known} are listed.`);
  }
}
