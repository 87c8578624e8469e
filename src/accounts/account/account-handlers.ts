/** The orders of the member's account, listed as /v1 lists them for a key. */
import assert from 'node:assert';
import type { AccessStore } from '#access/ports.ts';
import type { AccountHandler } from '#contract/call.ts';
import { accountIdOf, type MemberHandler } from '#contract/console-call.ts';

/** What these handlers need. */
export interface MemberAccountOptions {
  readonly access: Pick<AccessStore, 'account'>;
  /** The handler of `GET /v1/orders`. */
  readonly listOrders: AccountHandler;
}

/** listMemberOrders. */
export function memberAccountHandlers({ access, listOrders }: MemberAccountOptions): {
  readonly listMemberOrders: MemberHandler;
} {
  return {
    async listMemberOrders(call) {
      const id = accountIdOf(call);
      const account = await access.account(id);
      assert(account, `account ${id} is gone`);
      return listOrders({ principal: { account }, query: call.call.query });
    },
  };
}
