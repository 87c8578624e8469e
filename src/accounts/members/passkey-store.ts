/** Passkeys over a database. */
import type { Knex } from 'knex';
import { Fault } from '#base/fault.ts';
import { codec } from '#storage/database/codec.ts';
import type { OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, intOrNull, type Row, text } from '#storage/database/values.ts';
import { changeLogger } from '../change-log.ts';
import { memberFrom } from './member-record.ts';
import type { Passkey, PasskeyStore } from './passkey-ports.ts';
import { PASSKEYS_PER_MEMBER } from './passkeys.ts';
import { hashSecret } from './secrets.ts';
import { insertSession } from './session-store.ts';

/** The store. */
export function createPasskeyStore(options: OperatorOptions): PasskeyStore {
  const { db } = options;
  const { knex } = db;
  const changes = changeLogger(options);

  return {
    async list(memberId) {
      return (await knex('member_passkeys').where({ member_id: memberId }).orderBy('id')).map(passkeyFrom);
    },

    async find(credentialId) {
      const row: Row | undefined = await knex('member_passkeys')
        .join('members', 'members.id', 'member_passkeys.member_id')
        .where({ credential_hash: hashSecret(credentialId) })
        .first('member_passkeys.*', 'members.email');
      return row ? { passkey: passkeyFrom(row), email: text(row.email) } : null;
    },

    async add({ member }, passkey) {
      await writing(db, async (trx) => {
        await assertMember(trx, member.id);
        await assertRoom(trx, passkey);
        const hash = { credential_hash: hashSecret(passkey.credentialId) };
        await trx('member_passkeys').insert({ ...passkeyColumns(passkey), ...hash });
        await changes.log(trx, member, {
          what: 'passkey.add',
          subject: passkey.id,
          before: null,
          after: shown(passkey),
        });
      });
    },

    async rename({ member }, id, name) {
      return writing(db, async (trx) => {
        const before = await lockedPasskey(trx, member.id, id);
        if (!before) return null;
        const after = { ...before, name };
        await trx('member_passkeys').where({ id }).update({ name });
        await changes.log(trx, member, {
          what: 'passkey.rename',
          subject: id,
          before: shown(before),
          after: shown(after),
        });
        return after;
      });
    },

    async remove({ member }, id) {
      return writing(db, async (trx) => {
        const before = await lockedPasskey(trx, member.id, id);
        if (!before) return false;
        await trx('member_passkeys').where({ id }).delete();
        await changes.log(trx, member, { what: 'passkey.remove', subject: id, before: shown(before), after: null });
        return true;
      });
    },

    async open(passkey, counter, session) {
      return writing(db, async (trx) => {
        const same = trx('member_passkeys').where({ id: passkey.id, counter: passkey.counter });
        if ((await same.update({ counter, used_at_ms: session.openedAtMs })) === 0) return null;
        return insertSession({ trx, changes }, passkey.memberId, session);
      });
    },

    async noteCopy({ id, memberId, counter }, sent) {
      await writing(db, async (trx) => {
        await assertMember(trx, memberId);
        const row: Row | undefined = await trx('members').where({ id: memberId }).first();
        if (!row) return;
        const [before, after] = [{ counter }, { counter: sent }];
        await changes.log(trx, memberFrom(row), { what: 'passkey.copied', subject: id, before, after });
      });
    },
  };
}

/** Two that add at once wait for each other; a member who was removed adds nothing. */
async function assertMember(trx: Knex.Transaction, id: string): Promise<void> {
  const there = await trx('members')
    .where({ id })
    .update({ role: trx.ref('role') });
  if (there === 0) throw new Fault('not_signed_in');
}

async function assertRoom(trx: Knex.Transaction, { memberId, credentialId }: Passkey): Promise<void> {
  const refuse = (message: string) => new Fault('invalid_request', { param: 'credential', message });
  const known: Row | undefined = await trx('member_passkeys')
    .where({ credential_hash: hashSecret(credentialId) })
    .first('id');
  if (known) throw refuse('This passkey is known already.');
  const there: Row = await trx('member_passkeys').where({ member_id: memberId }).first(trx.raw('COUNT(*) AS number'));
  if (int(there.number) >= PASSKEYS_PER_MEMBER)
    throw refuse(`You have ${PASSKEYS_PER_MEMBER} passkeys already; remove one first.`);
}

async function lockedPasskey(trx: Knex.Transaction, memberId: string, id: string): Promise<Passkey | null> {
  const mine = () => trx('member_passkeys').where({ id, member_id: memberId });
  if ((await mine().update({ host: trx.ref('host') })) === 0) return null;
  return passkeyFrom(await mine().first());
}

/** What the log says of a passkey. */
function shown({ name, host }: Passkey): object {
  return { name, host };
}

const { from: passkeyFrom, some: passkeyColumns } = codec<Passkey>({
  id: text,
  memberId: text,
  credentialId: text,
  publicKey: text,
  counter: int,
  host: text,
  name: text,
  createdAtMs: int,
  usedAtMs: intOrNull,
});
