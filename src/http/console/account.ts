/** The money and the orders of the member's account, read as /v1 reads them for a key. */
import assert from 'node:assert';
import type { AccessStore } from '#access/ports.ts';
import { nanoToUsd } from '#base/money.ts';
import type { AccountHandler } from '#handlers/call.ts';
import { accountIdOf, type MemberCall, type MemberHandler } from './call.ts';

/** What these handlers need. */
export interface MemberAccountOptions {
  readonly access: Pick<AccessStore, 'account'>;
  /** The handler of `GET /v1/orders`. */
  readonly listOrders: AccountHandler;
}

/** getBalance and listMemberOrders. */
export function memberAccountHandlers({ access, listOrders }: MemberAccountOptions): {
  readonly getBalance: MemberHandler;
  readonly listMemberOrders: MemberHandler;
} {
  const accountOf = async (call: MemberCall) => {
    const id = accountIdOf(call);
    const account = await access.account(id);
    assert(account, `account ${id} is gone`);
    return account;
  };
  return {
    async getBalance(call) {
      const { balance, held } = await accountOf(call);
      const [balance_usd, held_usd, free_usd] = [balance, held, balance - held].map(nanoToUsd);
      return { status: 200, json: { object: 'balance', balance_usd, held_usd, free_usd } };
    },

    async listMemberOrders(call) {
      return listOrders({ principal: { account: await accountOf(call) }, query: call.call.query });
    },
  };
}
