/**
 * Members whom the identity provider vouches for. The claim decides the role at each sign-in, so that what is taken away
 * there is gone here with the next one; it never moves somebody to another account.
 */
import type { Knex } from 'knex';
import type { ConsoleMember, MemberPlace, SignedIn } from '#access/member.ts';
import { Fault } from '#base/fault.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { type Row, text } from '#storage/database/values.ts';
import { lockAccount } from '#storage/records/account.ts';
import { ChangeLog } from '../change-log.ts';
import { memberColumns, memberFrom } from './member-record.ts';
import { assertRoom, shownMember } from './member-store.ts';
import { insertSession, type NewMemberSession } from './session-store.ts';

/** Somebody whom the provider vouches for. */
export interface VouchedPerson {
  readonly email: string;
  /** A hash of who it is at the provider, which stays when the e-mail goes to somebody else. */
  readonly subjectHash: string;
  /** Where the configuration puts it; null: where it is a member already. */
  readonly place: MemberPlace | null;
}

/** The members with an identity at the provider. */
export class IdentityStore {
  readonly #parts: OperatorOptions;
  readonly #changes: ChangeLog;

  constructor(parts: OperatorOptions) {
    this.#parts = parts;
    this.#changes = new ChangeLog(parts);
  }

  /**
   * Opens a session of the member with this e-mail, in one transaction with what that changes: its role, or that it is
   * a member at all. Throws Fault identity_refused.
   */
  async open({ email, subjectHash, place }: VouchedPerson, session: NewMemberSession): Promise<SignedIn> {
    return writing(this.#parts.db, async (trx) => {
      await takeTurn(trx, 'members');
      const row: Row | undefined = await trx('members').where({ email }).first();
      const known = row ? memberFrom(row) : null;
      if (known && place && known.accountId !== place.accountId)
        throw refused(`${email} is a member elsewhere here; an address belongs to one account, or to the operator.`);
      if (!known && !place) throw refused(`${email} is no member here. Ask for an invitation.`);
      const member = place
        ? await (known ? this.#changeRole(trx, known, place) : this.#join(trx, email, place))
        : known;
      const opened =
        member &&
        (await keepIdentity(trx, member.id, subjectHash)) &&
        (await insertSession({ trx, changes: this.#changes }, member.id, session));
      if (!opened)
        throw refused(`${email} belonged to somebody else when it signed in here last. Ask to be invited anew.`);
      return opened;
    });
  }

  async #join(trx: Knex.Transaction, email: string, place: MemberPlace): Promise<ConsoleMember> {
    const { clock, ids } = this.#parts;
    if (place.accountId !== null) await assertAccount(trx, place.accountId);
    await assertRoom(trx, place.accountId);
    const made = { id: ids.uuid(), email, ...place, passwordHash: null, createdAtMs: clock.nowMs() };
    await trx('members').insert(memberColumns(made));
    const change = { before: null, after: shownMember(made) };
    await this.#changes.log(trx, made, { what: 'member.join', subject: made.id, ...change });
    return made;
  }

  async #changeRole(trx: Knex.Transaction, known: ConsoleMember, { role }: MemberPlace): Promise<ConsoleMember> {
    if (known.role === role) return known;
    const changed = { ...known, role };
    await trx('members').where({ id: known.id }).update({ role });
    const change = { before: shownMember(known), after: shownMember(changed) };
    await this.#changes.log(trx, changed, { what: 'member.role', subject: known.id, ...change });
    return changed;
  }
}

/** Keeps who the member is at the provider; false when that was somebody else. */
async function keepIdentity(trx: Knex.Transaction, memberId: string, subjectHash: VouchedPerson['subjectHash']) {
  const row: Row | undefined = await trx('member_identities').where({ member_id: memberId }).first();
  if (row) return text(row.subject_hash) === subjectHash;
  await trx('member_identities').insert({ member_id: memberId, subject_hash: subjectHash });
  return true;
}

async function assertAccount(trx: Knex.Transaction, id: string): Promise<void> {
  try {
    await lockAccount(trx, id);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'not_found') throw error;
    throw refused('Your role belongs to an account that does not exist here. Tell whoever runs this gateway.');
  }
}

function refused(message: string): Fault {
  return new Fault('identity_refused', { message });
}
