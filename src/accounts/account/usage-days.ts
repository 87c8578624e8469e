/** Usage by day, model and key: the sums that every settlement adds to. */

import type { Database } from '#storage/database/database.ts';
import { int, money, type Row, text, textOrNull } from '#storage/database/values.ts';
import type { UsageDay, UsageDays } from '../members/ports.ts';

/** The sums over a database. */
export function createUsageDays({ knex }: Database): UsageDays {
  return {
    async list(accountId, { first, last, limit }) {
      const rows: Row[] = await knex('usage_days')
        .leftJoin('api_keys', 'api_keys.id', 'usage_days.key_id')
        .where('usage_days.account_id', accountId)
        .whereBetween('usage_days.day', [first, last])
        .orderBy([{ column: 'usage_days.day', order: 'desc' }, 'usage_days.model', 'usage_days.key_id'])
        .limit(limit)
        .select('usage_days.*', 'api_keys.name as key_name');
      return rows.map(usageDayFrom);
    },
  };
}

/** Orders of no key are counted under an empty one. */
function usageDayFrom(row: Row): UsageDay {
  return {
    day: int(row.day),
    model: text(row.model),
    keyId: text(row.key_id) || null,
    keyName: textOrNull(row.key_name),
    requests: int(row.requests),
    charged: money(row.charged),
  };
}
