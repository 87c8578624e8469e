/**
 * Members whom the identity provider vouches for. The claim decides the role at each sign-in, so that what is taken away
 * there is gone here with the next one; it never moves somebody to another account.
 */
import type { Knex } from 'knex';
import type { ConsoleMember, MemberPlace } from '#access/member.ts';
import { Fault } from '#base/fault.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { type Row, text } from '#storage/database/values.ts';
import { lockAccount } from '#storage/records/account.ts';
import { changeLogger } from '../change-log.ts';
import type { IdentityStore, VouchedPerson } from './identities.ts';
import { memberColumns, memberFrom } from './member-record.ts';
import { assertRoom, shownMember } from './member-store.ts';
import { insertSession } from './session-store.ts';

/** The store. */
export function createIdentityStore(options: OperatorOptions): IdentityStore {
  const { db, clock, ids } = options;
  const changes = changeLogger(options);

  async function join(trx: Knex.Transaction, email: string, place: MemberPlace): Promise<ConsoleMember> {
    if (place.accountId !== null) await assertAccount(trx, place.accountId);
    await assertRoom(trx, place.accountId);
    const made = { id: ids.uuid(), email, ...place, passwordHash: null, createdAtMs: clock.nowMs() };
    await trx('members').insert(memberColumns(made));
    await changes.log(trx, made, { what: 'member.join', subject: made.id, before: null, after: shownMember(made) });
    return made;
  }

  async function move(trx: Knex.Transaction, known: ConsoleMember, place: MemberPlace): Promise<ConsoleMember> {
    if (known.role === place.role) return known;
    const moved = { ...known, role: place.role };
    await trx('members').where({ id: known.id }).update({ role: place.role });
    const change = { before: shownMember(known), after: shownMember(moved) };
    await changes.log(trx, moved, { what: 'member.role', subject: known.id, ...change });
    return moved;
  }

  return {
    async open({ email, subjectHash, place }, session) {
      return writing(db, async (trx) => {
        await takeTurn(trx, 'members');
        const row: Row | undefined = await trx('members').where({ email }).first();
        const known = row ? memberFrom(row) : null;
        if (known && place && known.accountId !== place.accountId)
          throw refused(`${email} is a member elsewhere here; an address belongs to one account, or to the operator.`);
        if (!known && !place) throw refused(`${email} is no member here. Ask for an invitation.`);
        const member =
          known && place ? await move(trx, known, place) : (known ?? (place && (await join(trx, email, place))));
        const opened =
          member &&
          (await keepIdentity(trx, member.id, subjectHash)) &&
          (await insertSession({ trx, changes }, member.id, session));
        if (!opened)
          throw refused(`${email} belonged to somebody else when it signed in here last. Ask to be invited anew.`);
        return opened;
      });
    },
  };
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
