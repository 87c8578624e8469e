/** The members of the member's account: who may sign in to its settings. Owners invite and remove, but not themselves. */

import { type ConsoleMember, readEmail } from '#access/member.ts';
import { type Fault, invalidRequest } from '#base/fault.ts';
import { iso } from '#base/time.ts';
import { accountIdOf } from '#contract/console.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { components } from '#generated/console-api/types.ts';
import type { AccountMembers, Invitation } from './ports.ts';

type Schemas = components['schemas'];

/** listMembers, inviteMember and removeMember. */
export function membersHandlers(options: {
  readonly members: AccountMembers;
}): HandlersFor<'listMembers' | 'inviteMember' | 'removeMember'> {
  const { members } = options;
  return {
    async listMembers(call) {
      const data = (await members.listOf(accountIdOf(call))).map(memberObject);
      return { status: 200, json: { object: 'list', data } };
    },

    async inviteMember(call) {
      const { email, role } = call.call.body;
      const self = call.signedIn.member;
      if (readEmail(email) === self.email) throw notOneself('email');
      const place = { accountId: accountIdOf(call), role };
      return { status: 201, json: invited(await members.invite(email, place, self.email), call.origin) };
    },

    async removeMember(call) {
      const id = call.call.params.id;
      const self = call.signedIn.member;
      if (id === self.id) throw notOneself('id');
      await members.removeOf(accountIdOf(call), id, self.email);
      return { status: 204 };
    },
  };
}

/** A member with its link, on the gateway at `origin`. */
export function invited({ member, token, expiresAtMs }: Invitation, origin: string): Schemas['InvitedMember'] {
  const link = `${origin}/settings/sign-in#${token}`;
  return { ...memberObject(member), link, expires_at: iso(expiresAtMs) };
}

/** A member, as lists show it. */
export function memberObject({ id, email, role, createdAtMs }: ConsoleMember): Schemas['ListedMember'] {
  return { object: 'member', member_id: id, email, role, created_at: iso(createdAtMs) };
}

/** So that whoever acts stays an owner, and an account has one. */
function notOneself(param: string): Fault {
  return invalidRequest(param, 'Another owner must do this: nobody changes its own role.');
}
