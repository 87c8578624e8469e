/**
 * The members of an account: who may sign in to its settings. Owners invite and remove, but not themselves; the operator
 * does so for any account.
 */

import { type ConsoleMember, readEmail } from '#access/member.ts';
import type { Account } from '#access/principal.ts';
import { type Fault, invalidRequest } from '#base/fault.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { accountIdOf, handlersOf, type MemberCall } from '#contract/call.ts';
import type { components } from '#generated/console-api/types.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import type { Authenticator } from '../keys/authenticator.ts';
import { type Invitation, Members } from './member-store.ts';

type Schemas = components['schemas'];

/** listMembers, inviteMember and removeMember, for owners; the same of any account for the operator. */
export function membersHandlers(
  database: OperatorOptions,
  options: {
    readonly authenticator: Pick<Authenticator, 'forget'>;
    /** Throws Fault not_found. */
    readonly findAccount: (id: string) => Promise<Account>;
  },
) {
  const { authenticator, findAccount } = options;
  const members = new Members(database);
  const listed = async (accountId: string) => {
    const data = (await members.listOf(accountId)).map(memberObject);
    return { status: 200 as const, json: { object: 'list', data } };
  };
  const invite = async (call: MemberCall<'inviteMember' | 'inviteAccountMember'>, accountId: string) => {
    const { email, role } = call.call.body;
    const invitation = await members.invite(email, { accountId, role }, call.signedIn.member);
    return { status: 201 as const, json: invited(invitation, call.origin) };
  };
  const remove = async (accountId: string, id: string, by: ConsoleMember) => {
    const { keys } = await members.remove({ accountId, id }, by);
    // Its own keys have ended with it.
    authenticator.forget(accountId);
    const known = keys.map((key) => ({ key_id: key.id, name: key.name, hint: key.hint }));
    return { status: 200 as const, json: { object: 'removed_member', member_id: id, keys: known } };
  };
  return handlersOf({
    listMembers: (call) => listed(accountIdOf(call)),

    async inviteMember(call) {
      if (readEmail(call.call.body.email) === call.signedIn.member.email) throw notOneself('email');
      return invite(call, accountIdOf(call));
    },

    async removeMember(call) {
      const id = call.call.params.id;
      const self = call.signedIn.member;
      if (id === self.id) throw notOneself('id');
      return remove(accountIdOf(call), id, self);
    },

    async listAccountMembers({ call }) {
      return listed((await findAccount(call.params.id)).id);
    },

    async inviteAccountMember(call) {
      return invite(call, (await findAccount(call.call.params.id)).id);
    },

    async removeAccountMember({ call, signedIn }) {
      return remove((await findAccount(call.params.id)).id, call.params.member, signedIn.member);
    },
  });
}

/** A member with its link, on the gateway at `origin`. */
function invited({ member, link }: Invitation, origin: string): Schemas['InvitedMember'] {
  return {
    ...memberObject(member),
    link: link && `${origin}/settings/sign-in#${link.token}`,
    expires_at: isoOrNull(link?.expiresAtMs ?? null),
  };
}

function memberObject({ id, email, role, createdAtMs }: ConsoleMember): Schemas['ListedMember'] {
  return { object: 'member', member_id: id, email, role, created_at: iso(createdAtMs) };
}

/** So that the acting member stays an owner, and an account has one. */
function notOneself(param: string): Fault {
  return invalidRequest(param, 'Another owner must do this: nobody changes its own role.');
}
