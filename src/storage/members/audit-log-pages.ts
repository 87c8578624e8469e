/** Reads of the audit log, by index. */
import type { ChangeHistory, KnownChange } from '#members/operator-ports.ts';
import type { Database } from '../database/database.ts';
import { int, type Row, text, textOrNull } from '../database/values.ts';

/** The audit log over `db`. */
export function createChangeHistory({ knex }: Database): ChangeHistory {
  return {
    async list(accountId, { limit, after }) {
      const rows = knex('audit_log').orderBy('id', 'desc').limit(limit);
      if (accountId !== null) rows.where({ account_id: accountId });
      if (after !== null) rows.where('id', '<', after);
      return ((await rows) as Row[]).map(changeFrom);
    },
  };
}

function changeFrom(row: Row): KnownChange {
  return {
    id: text(row.id),
    atMs: int(row.at_ms),
    accountId: textOrNull(row.account_id),
    who: text(row.who),
    what: text(row.what),
    subject: text(row.subject),
    before: objectFrom(row.before_json),
    after: objectFrom(row.after_json),
  };
}

function objectFrom(json: unknown): object | null {
  return json === null ? null : (JSON.parse(text(json)) as object);
}
