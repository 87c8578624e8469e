/** Who changed what. */

import type { ChangeHistory, LoggedChange } from '#accounts/change-log.ts';
import { decodeCursor, encodeCursor } from '#base/cursor.ts';
import type { HandlersFor } from '#contract/handlers.ts';

/** What the handler needs. */
export interface AuditLogOptions {
  readonly auditLog: ChangeHistory;
}

/** listChanges. An account that does not exist has no entries. */
export function auditLogHandlers({ auditLog }: AuditLogOptions): HandlersFor<'listChanges'> {
  return {
    async listChanges({ call: { query } }) {
      const { limit, account } = query;
      const scope = `audit log ${JSON.stringify(account)}`;
      const { cursor } = query;
      const after = cursor === null ? null : String(decodeCursor(scope, cursor)[0]);
      const found = await auditLog.list(account, { limit: limit + 1, after });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      const json = {
        object: 'list',
        data: page.map(changeObject),
        has_more: last !== undefined,
        next_cursor: last ? encodeCursor(scope, [last.id]) : null,
      };
      return { status: 200, json };
    },
  };
}

function changeObject({ id, atMs, accountId, who, what, subject, before, after }: LoggedChange) {
  return {
    ...{ object: 'change', id, at: new Date(atMs).toISOString(), who, what, account_id: accountId, subject },
    before: before && { ...before },
    after: after && { ...after },
  };
}
