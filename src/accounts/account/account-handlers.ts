/** The orders of the member's account, listed as /v1 lists them for a key. */
import assert from 'node:assert';
import type { AccessStore } from '#access/ports.ts';
import { accountIdOf } from '#contract/console.ts';
import type { AccountHandler, HandlersFor } from '#contract/handlers.ts';

/** What these handlers need. */
export interface MemberAccountOptions {
  readonly access: Pick<AccessStore, 'account'>;
  /** The handler of `GET /v1/orders`. */
  readonly listOrders: AccountHandler<'listOrders'>;
}

/** listMemberOrders. */
export function memberAccountHandlers({ access, listOrders }: MemberAccountOptions): HandlersFor<'listMemberOrders'> {
  return {
    async listMemberOrders(call) {
      const id = accountIdOf(call);
      const account = await access.account(id);
      assert(account, `account ${id} is gone`);
      return listOrders({ principal: { account }, query: call.call.query });
    },
  };
}
