/** Who changed what. */

import { type LoggedChange, newestChanges } from '#accounts/change-log.ts';
import { decodeCursor, encodeCursor } from '#base/cursor.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { Database } from '#storage/database/database.ts';

/** listChanges. An account that does not exist has no entries. */
export function changeHandlers(db: Database): HandlersFor<'listChanges'> {
  return {
    async listChanges({ call: { query } }) {
      const { limit, account: accountId, cursor } = query;
      const scope = `audit log ${JSON.stringify(accountId)}`;
      const after = cursor === null ? null : String(decodeCursor(scope, cursor)[0]);
      const found = await newestChanges(db, { accountId, limit: limit + 1, after });
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
    object: 'change',
    id,
    at: new Date(atMs).toISOString(),
    who,
    what,
    account_id: accountId,
    subject,
    before: before && { ...before },
    after: after && { ...after },
  };
}
