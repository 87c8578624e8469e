/**
 * Inviting, listing and removing members. Each change is one transaction with its row in the audit log. The token of a
 * link is returned once; only its hash is stored.
 */
import type { Knex } from 'knex';
import {
  type Actor,
  accountRoles,
  type ConsoleMember,
  isOperator,
  type MemberPlace,
  type MemberSession,
  operatorRoles,
  readEmail,
  signInMethods,
} from '#access/member.ts';
import type { ApiKey } from '#access/principal.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import { DAY_MS } from '#base/time.ts';
import { codec } from '#storage/database/codec.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { int, intOrNull, oneOf, type Row, sentence, text, textOrNull } from '#storage/database/values.ts';
import { lockAccount } from '#storage/records/account.ts';
import { LoggedStore } from '../change-log.ts';
import { keysKnownTo, revokeKeysOf } from '../keys/key-store.ts';
import { hashSecret, newSecret } from './secrets.ts';

/** The members. */
export const { from: memberFrom, some: memberColumns } = codec<ConsoleMember>({
  id: text,
  email: text,
  accountId: textOrNull,
  role: oneOf([...accountRoles, ...operatorRoles]),
  passwordHash: textOrNull,
  createdAtMs: int,
  joinedAtMs: intOrNull,
  linkMadeAtMs: intOrNull,
});

/** Their sessions. */
export const { from: memberSessionFrom, some: memberSessionColumns } = codec<MemberSession>({
  id: text,
  memberId: text,
  method: oneOf(signInMethods),
  openedAtMs: int,
  seenAtMs: int,
  address: text,
  agent: sentence(200),
});

/** How many members an account may have, and the operator. */
export const MEMBERS_MAX = 100;

/** How long a one-time link works. */
const LINK_MS = DAY_MS;

/** A member and its link. */
export interface Invitation {
  readonly member: ConsoleMember;
  /** Null for a member that has signed in, unless the operator invites: the link opens the member's own settings. */
  readonly link: { readonly token: string; readonly expiresAtMs: number } | null;
}

/** A member that is gone. */
export interface RemovedMember {
  readonly member: ConsoleMember;
  /** The active keys whose secrets it was shown and that no member owns: they still work. */
  readonly keys: readonly ApiKey[];
}

/** A member anywhere, by its e-mail, or a member of this account, by its id. */
export type NamedMember = string | { readonly accountId: string; readonly id: string };

/** The members of accounts and of the operator. */
export class Members extends LoggedStore {
  /**
   * Makes the address a member, or gives a member with the same place this role. Makes a new link, whose token is shown
   * only this once; an earlier one stops working. Throws Fault invalid_request (the address, or too many members) and not_found
   * (the account). An address that is a member of another place is refused, too, but only the operator sees
   * that: to others the answer is as for any address, and its link is not valid.
   */
  async invite(address: string, place: MemberPlace, by: Actor): Promise<Invitation> {
    const email = readEmail(address);
    const nowMs = this.parts.clock.nowMs();
    const link = { token: newSecret(), expiresAtMs: nowMs + LINK_MS };
    const made = newMember(email, place, { id: this.parts.ids.uuid(), nowMs });
    return writing(this.parts.db, async (trx) => {
      await takeTurn(trx, 'members');
      if (place.accountId !== null) await lockAccount(trx, place.accountId);
      const row: Row | undefined = await trx('members').where({ email }).first();
      const known = row ? memberFrom(row) : null;
      const isElsewhere = known !== null && known.accountId !== place.accountId;
      if (isElsewhere && (isOperator(by) || place.accountId === null)) throw elsewhere(email);
      const held = await findHeld(trx, { account_id: place.accountId, email });
      const before = (isElsewhere ? null : known) ?? held;
      if (!before) await assertRoom(trx, place.accountId);
      const joined = before !== null && before.joinedAtMs !== null;
      const linked = joined && isOperator(by) ? { linkMadeAtMs: nowMs } : {};
      const member = { ...(before ?? made), role: place.role, ...linked };
      const hasLink = !joined || isOperator(by);
      await dropHeld(trx, held);
      if (isElsewhere) await trx('held_invitations').insert(heldColumns(member));
      else {
        if (known)
          await trx('members')
            .where({ id: known.id })
            .update(memberColumns({ role: place.role, ...linked }));
        else await trx('members').insert(memberColumns(member));
        if (known && !isOperator(by)) await assertOwner(trx, place.accountId);
        if (hasLink) await replaceLink(trx, member.id, link);
      }
      const change = { before: before && shownMember(before), after: shownMember(member) };
      await this.changes.log(trx, by, {
        what: joined ? (hasLink ? 'member.link' : 'member.role') : 'member.invite',
        subject: member.id,
        accountId: place.accountId,
        ...change,
      });
      return { member, link: hasLink ? link : null };
    });
  }

  /** All members, or those of an account; of each place by e-mail, the operator's first. */
  async list(accountId?: string): Promise<ConsoleMember[]> {
    const rows = this.parts.db.knex('members').orderBy(['account_id', 'email']);
    return (accountId === undefined ? await rows : await rows.where({ account_id: accountId })).map(memberFrom);
  }

  /** The members of an account and its held invitations, by e-mail. */
  async listOf(accountId: string): Promise<ConsoleMember[]> {
    const all = [...(await this.list(accountId)), ...(await listHeld(this.parts.db.knex, accountId))];
    return all.sort((one, other) => (one.email < other.email ? -1 : 1));
  }

  /**
   * Removes a member with its sessions, its passkeys, its link and its API keys, at once. Throws Fault not_found, and
   * invalid_request when a member would leave its account without an owner.
   */
  async remove(named: NamedMember, by: Actor): Promise<RemovedMember> {
    const which =
      typeof named === 'string' ? { email: readEmail(named) } : { id: named.id, account_id: named.accountId };
    return writing(this.parts.db, async (trx) => {
      await trx('members')
        .where(which)
        .update({ role: trx.ref('role') });
      if (typeof named !== 'string') await lockAccount(trx, named.accountId);
      const row: Row | undefined = await trx('members').where(which).first();
      const held = row || typeof named === 'string' ? null : await findHeld(trx, which);
      const member = row ? memberFrom(row) : held;
      if (!member) throw noMember(named);
      await dropHeld(trx, held);
      await deleteMembers(trx, [member.id]);
      await revokeKeysOf(trx, member.id, { changes: this.changes, nowMs: this.parts.clock.nowMs(), by });
      if (typeof named !== 'string' && !isOperator(by)) await assertOwner(trx, named.accountId);
      const { id, accountId } = member;
      const change = { before: shownMember(member), after: null };
      await this.changes.log(trx, by, { what: 'member.remove', subject: id, accountId, ...change });
      return { member, keys: accountId === null ? [] : await keysKnownTo(trx, { ...member, accountId }) };
    });
  }
}

/*
 * Held are invitations of addresses that are members elsewhere. They are listed, changed and removed as members are, so
 * that nobody learns where else an address belongs; but they have no link, and nobody signs in as one. Decision 43.
 */

/** The invitation in these columns; null if there is none. */
async function findHeld(trx: Knex.Transaction, which: object): Promise<ConsoleMember | null> {
  const row: Row | undefined = await trx('held_invitations').where(which).first();
  return row ? memberFrom(row) : null;
}

/** The held invitations of an account; as few as its members. */
async function listHeld(knex: Knex, accountId: string): Promise<ConsoleMember[]> {
  return (await knex('held_invitations').where({ account_id: accountId })).map(memberFrom);
}

/** A held invitation signs nobody in. */
function heldColumns({ id, email, accountId, role, createdAtMs }: ConsoleMember) {
  return memberColumns({ id, email, accountId, role, createdAtMs });
}

/** Removes it; no effect for null. */
async function dropHeld(trx: Knex.Transaction, held: ConsoleMember | null): Promise<void> {
  if (held) await trx('held_invitations').where({ id: held.id }).delete();
}

/** Somebody at this place who has not signed in yet. */
export function newMember(
  email: string,
  place: MemberPlace,
  { id, nowMs }: { readonly id: string; readonly nowMs: number },
): ConsoleMember {
  return { id, email, ...place, passwordHash: null, createdAtMs: nowMs, joinedAtMs: null, linkMadeAtMs: null };
}

async function replaceLink(
  trx: Knex.Transaction,
  memberId: string,
  { token, expiresAtMs }: NonNullable<Invitation['link']>,
): Promise<void> {
  await trx('member_links').where({ member_id: memberId }).delete();
  await trx('member_links').insert({ member_id: memberId, hash: hashSecret(token), expires_at_ms: expiresAtMs });
}

/** Deletes the rows of these members, and all by which they sign in. Their keys are left to the caller. */
export async function deleteMembers(trx: Knex.Transaction, ids: readonly string[]): Promise<void> {
  for (const table of ['member_links', 'member_sessions', 'member_passkeys', 'member_identities'])
    await trx(table).whereIn('member_id', ids).delete();
  await trx('members').whereIn('id', ids).delete();
}

/** Throws Fault invalid_request when an account, or the operator, has as many members as it may. */
export async function assertRoom(trx: Knex.Transaction, accountId: string | null): Promise<void> {
  const there = await trx('members').where({ account_id: accountId }).first(trx.raw('COUNT(*) AS number'));
  const held = accountId === null ? [] : await listHeld(trx, accountId);
  if (int(there.number) + held.length < MEMBERS_MAX) return;
  throw invalidRequest(null, `There are ${MEMBERS_MAX} members already; remove one first.`);
}

/**
 * Two owners who remove each other at the same time must not leave the account without an owner. The account is locked.
 */
async function assertOwner(trx: Knex.Transaction, accountId: string | null): Promise<void> {
  const owner: Row | undefined = await trx('members').where({ account_id: accountId, role: 'owner' }).first('id');
  if (owner || accountId === null) return;
  throw invalidRequest(null, 'The account must keep an owner; invite another first.');
}

/** What the log says about a member. */
export function shownMember({ email, role }: ConsoleMember): object {
  return { email, role };
}

function elsewhere(email: string): Fault {
  return invalidRequest(
    'email',
    `${email} is a member elsewhere; an address belongs to one account, or to the operator.`,
  );
}

function noMember(named: NamedMember): Fault {
  const message =
    typeof named === 'string'
      ? `There is no member ${readEmail(named)}; sluice member list has them.`
      : 'This account has no member with this id.';
  return new Fault('not_found', { message });
}
