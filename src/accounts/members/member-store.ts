/**
 * Inviting, listing and removing members. Each change is one transaction with its row in the audit log. The token of a
 * link is returned once; only its hash is stored.
 */
import type { Knex } from 'knex';
import { type ConsoleMember, type MemberPlace, readEmail } from '#access/member.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { DAY_MS } from '#base/time.ts';
import type { Database, OperatorOptions } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { int, type NewRow, type Row } from '#storage/database/values.ts';
import { lockAccount } from '#storage/records/account.ts';
import { COMMAND_LINE, type LoggedChange, logChange } from '../change-log.ts';
import { dropHeld, findHeld, hold, listHeld } from './held-invitations.ts';
import { memberColumns, memberFrom } from './member-record.ts';
import type { AccountMembers, Invitation, MemberActor } from './ports.ts';
import { hashSecret, newSecret } from './secrets.ts';

/** How many members an account may have, and the operator. */
export const MEMBERS_MAX = 100;
/** How long a one-time link works. */
export const LINK_MS = DAY_MS;

/** The members of accounts and of the operator. */
export class Members implements AccountMembers {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor({ db, clock, ids }: OperatorOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#ids = ids;
  }

  /**
   * Makes the address a member, or gives a member with the same place a new link, and this role; an earlier link stops
   * working. `who` goes into the audit log. Throws Fault invalid_request (the address, or too many members) and not_found
   * (the account). An address that is a member of another place is refused, too, but only the operator is told: to
   * others the answer is as for any address, and its link is not valid.
   */
  async invite(address: string, place: MemberPlace, by: string | MemberActor): Promise<Invitation> {
    const { who, operator } = actor(by);
    const email = readEmail(address);
    const token = newSecret();
    const nowMs = this.#clock.nowMs();
    const expiresAtMs = nowMs + LINK_MS;
    const made = { id: this.#ids.uuid(), email, ...place, passwordHash: null, createdAtMs: nowMs };
    const logged = { id: this.#ids.uuid(), atMs: nowMs, accountId: place.accountId, who };
    const member = await writing(this.#db, async (trx) => {
      await takeTurn(trx, 'members');
      if (place.accountId !== null) await lockAccount(trx, place.accountId);
      const row: Row | undefined = await trx('members').where({ email }).first();
      const known = row ? memberFrom(row) : null;
      const isElsewhere = known !== null && known.accountId !== place.accountId;
      if (isElsewhere && (operator || place.accountId === null)) throw elsewhere(email);
      const held = await findHeld(trx, { account_id: place.accountId, email });
      const before = (isElsewhere ? null : known) ?? held;
      if (!before) await assertRoom(trx, place.accountId);
      const member = { ...(before ?? made), role: place.role };
      await dropHeld(trx, held);
      if (isElsewhere) await hold(trx, memberColumns(member));
      else {
        if (known) await trx('members').where({ id: known.id }).update({ role: place.role });
        else await trx('members').insert(memberColumns(member));
        if (known && !operator) await assertOwner(trx, place.accountId);
        await newLink(trx, { member_id: member.id, hash: hashSecret(token), expires_at_ms: expiresAtMs });
      }
      const change = { before: before && shownMember(before), after: shownMember(member) };
      await logChange(trx, { ...logged, what: 'member.invite', subject: member.id, ...change } satisfies LoggedChange);
      return member;
    });
    return { member, token, expiresAtMs };
  }

  /** All members, or those of an account; of each place by e-mail, the operator's first. */
  async list(accountId?: string): Promise<ConsoleMember[]> {
    const rows = this.#db.knex('members').orderBy(['account_id', 'email']);
    return (accountId === undefined ? await rows : await rows.where({ account_id: accountId })).map(memberFrom);
  }

  async listOf(accountId: string): Promise<ConsoleMember[]> {
    const all = [...(await this.list(accountId)), ...(await listHeld(this.#db.knex, accountId))];
    return all.sort((one, other) => (one.email < other.email ? -1 : 1));
  }

  /** Removes a member with its sessions, its passkeys and its link, at once. Throws Fault not_found. */
  async remove(address: string, who: string): Promise<ConsoleMember> {
    const email = readEmail(address);
    return this.#remove({ email }, who, `There is no member ${email}; sluice member list has them.`);
  }

  /** The same for a member of this account, by its id. */
  async removeOf(accountId: string, id: string, by: string | MemberActor): Promise<ConsoleMember> {
    return this.#remove({ id, account_id: accountId }, by, 'This account has no member with this id.', accountId);
  }

  /** `ownedBy`: the account that must keep an owner, unless the operator acts. */
  async #remove(which: object, by: string | MemberActor, notFound: string, ownedBy?: string): Promise<ConsoleMember> {
    const { who, operator } = actor(by);
    const logged = { id: this.#ids.uuid(), atMs: this.#clock.nowMs(), who, what: 'member.remove', after: null };
    return writing(this.#db, async (trx) => {
      await trx('members')
        .where(which)
        .update({ role: trx.ref('role') });
      if (ownedBy !== undefined) await lockAccount(trx, ownedBy);
      const row: Row | undefined = await trx('members').where(which).first();
      const held = row || ownedBy === undefined ? null : await findHeld(trx, which);
      const member = row ? memberFrom(row) : held;
      if (!member) throw new Fault('not_found', { message: notFound });
      await dropHeld(trx, held);
      await trx('members').where({ id: member.id }).delete();
      await trx('member_links').where({ member_id: member.id }).delete();
      await trx('member_sessions').where({ member_id: member.id }).delete();
      await trx('member_passkeys').where({ member_id: member.id }).delete();
      await trx('member_identities').where({ member_id: member.id }).delete();
      if (ownedBy !== undefined && !operator) await assertOwner(trx, ownedBy);
      await logChange(trx, { ...logged, accountId: member.accountId, subject: member.id, before: shownMember(member) });
      return member;
    });
  }
}

/** The command line is the operator's. */
function actor(by: string | MemberActor): MemberActor {
  return typeof by === 'string' ? { who: by, operator: by === COMMAND_LINE } : by;
}

/** Earlier links of the member stop working. */
async function newLink(trx: Knex.Transaction, link: { readonly member_id: string } & NewRow): Promise<void> {
  await trx('member_links').where({ member_id: link.member_id }).delete();
  await trx('member_links').insert(link);
}

/** Throws Fault invalid_request when an account, or the operator, has as many members as it may. */
export async function assertRoom(trx: Knex.Transaction, accountId: string | null): Promise<void> {
  const there = await trx('members').where({ account_id: accountId }).first(trx.raw('COUNT(*) AS number'));
  const held = accountId === null ? [] : await listHeld(trx, accountId);
  if (int(there.number) + held.length < MEMBERS_MAX) return;
  throw new Fault('invalid_request', { message: `There are ${MEMBERS_MAX} members already; remove one first.` });
}

/** Two owners who end each other's ownership at once must not leave an account without one. The account is locked. */
async function assertOwner(trx: Knex.Transaction, accountId: string | null): Promise<void> {
  const owner: Row | undefined = await trx('members').where({ account_id: accountId, role: 'owner' }).first('id');
  if (owner || accountId === null) return;
  throw new Fault('invalid_request', { message: 'The account must keep an owner; invite another first.' });
}

/** What the log says of a member. */
export function shownMember({ email, role }: ConsoleMember): object {
  return { email, role };
}

function elsewhere(email: string): Fault {
  return new Fault('invalid_request', {
    param: 'email',
    message: `${email} is a member elsewhere; an address belongs to one account, or to the operator.`,
  });
}
