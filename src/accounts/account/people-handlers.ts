/** The keys and the members of any account. The operator makes no key: whoever owns the account does. */

import type { Clock } from '#base/clock.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import { keyObject } from '../keys/handlers.ts';
import { invited, memberObject } from '../members/member-handlers.ts';
import type { AccountMembers, MemberKeys } from '../members/ports.ts';
import type { OperatorAccounts } from './operator-ports.ts';

/** What these handlers need. */
export interface AccountPeopleOptions {
  readonly operatorAccounts: Pick<OperatorAccounts, 'show'>;
  readonly keys: MemberKeys;
  readonly members: AccountMembers;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly clock: Clock;
}

type Operation =
  | 'listAccountKeys'
  | 'revokeAccountKey'
  | 'listAccountMembers'
  | 'inviteAccountMember'
  | 'removeAccountMember';

/** listAccountKeys, revokeAccountKey, listAccountMembers, inviteAccountMember and removeAccountMember. */
export function accountPeopleHandlers(options: AccountPeopleOptions): HandlersFor<Operation> {
  const { operatorAccounts, keys, members, authenticator, clock } = options;
  /** The account of the path. Throws Fault not_found. */
  const accountOf = async ({ call }: { readonly call: { readonly params: { readonly id: string } } }) =>
    (await operatorAccounts.show(call.params.id)).id;
  return {
    async listAccountKeys(call) {
      const data = (await keys.list(await accountOf(call))).map((used) => keyObject(used, clock.nowMs()));
      return { status: 200, json: { object: 'list', data, active_max: keys.activeMax } };
    },

    async revokeAccountKey(call) {
      const accountId = await accountOf(call);
      await keys.revoke({ member: call.signedIn.member, accountId }, call.call.params.key);
      authenticator.forget(accountId);
      return { status: 204 };
    },

    async listAccountMembers(call) {
      const data = (await members.listOf(await accountOf(call))).map(memberObject);
      return { status: 200, json: { object: 'list', data } };
    },

    async inviteAccountMember(call) {
      const { email, role } = call.call.body;
      const place = { accountId: await accountOf(call), role };
      const invitation = await members.invite(email, place, { who: call.signedIn.member.email, operator: true });
      return { status: 201, json: invited(invitation, call.origin) };
    },

    async removeAccountMember(call) {
      const by = { who: call.signedIn.member.email, operator: true };
      await members.removeOf(await accountOf(call), call.call.params.member, by);
      return { status: 204 };
    },
  };
}
