/** Who changed what. */

import { type LoggedChange, newestChanges } from '#accounts/change-log.ts';
import { iso } from '#base/time.ts';
import { cursorPage, idBefore } from '#contract/cursor-page.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { Database } from '#storage/database/database.ts';

/** listChanges. An account that does not exist has no entries. */
export function changeHandlers(db: Database): HandlersFor<'listChanges'> {
  return {
    async listChanges({ call: { query } }) {
      const { limit, account: accountId, cursor } = query;
      const scope = `audit log ${JSON.stringify(accountId)}`;
      const found = await newestChanges(db, { accountId, limit: limit + 1, after: idBefore(scope, cursor) });
      const { page, more } = cursorPage(found, { limit, scope }, ({ id }) => [id]);
      return { status: 200, json: { object: 'list', data: page.map(changeObject), ...more } };
    },
  };
}

function changeObject({ id, atMs, accountId, who, what, subject, before, after }: LoggedChange) {
  return {
    object: 'change',
    id,
    at: iso(atMs),
    who,
    what,
    account_id: accountId,
    subject,
    before: before && { ...before },
    after: after && { ...after },
  };
}
