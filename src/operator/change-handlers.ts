/** Who changed what. */

import type { ChangeHistory, LoggedChange } from '#accounts/change-log.ts';
import { iso } from '#base/time.ts';
import { cursorPage, idBefore } from '#contract/cursor-page.ts';
import type { HandlersFor } from '#contract/handlers.ts';

/** listChanges. An account that does not exist has no entries. */
export function auditLogHandlers({ auditLog }: { readonly auditLog: ChangeHistory }): HandlersFor<'listChanges'> {
  return {
    async listChanges({ call: { query } }) {
      const { limit, account } = query;
      const scope = `audit log ${JSON.stringify(account)}`;
      const found = await auditLog.list(account, { limit: limit + 1, after: idBefore(scope, query.cursor) });
      const { page, more } = cursorPage(found, { limit, scope }, ({ id }) => [id]);
      return { status: 200, json: { object: 'list', data: page.map(changeObject), ...more } };
    },
  };
}

function changeObject({ id, atMs, accountId, who, what, subject, before, after }: LoggedChange) {
  return {
    ...{ object: 'change', id, at: iso(atMs), who, what, account_id: accountId, subject },
    before: before && { ...before },
    after: after && { ...after },
  };
}
