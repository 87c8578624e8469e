/** Passkeys over a database. */
import type { Knex } from 'knex';
import type { SignedIn } from '#access/member.ts';
import { Fault } from '#base/fault.ts';
import { codec } from '#storage/database/codec.ts';
import type { Database, OperatorOptions } from '#storage/database/database.ts';
import { writing } from '#storage/database/transaction.ts';
import { int, intOrNull, type Row, text } from '#storage/database/values.ts';
import { ChangeLog } from '../change-log.ts';
import { memberFrom } from './member-record.ts';
import { hashSecret } from './secrets.ts';
import { insertSession, type NewMemberSession } from './session-store.ts';

/** How many passkeys a member may have. */
export const PASSKEYS_PER_MEMBER = 20;

/** A stored passkey: what the authenticator's signatures are checked with. None of it is secret. */
export interface Passkey {
  readonly id: string;
  readonly memberId: string;
  /** As the browser names it, in base64url. */
  readonly credentialId: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
  /** What the authenticator counted at its last use; 0 for ever where it does not count. */
  readonly counter: number;
  /** The host that it is bound to. */
  readonly host: string;
  /** What its member calls it. */
  readonly name: string;
  readonly createdAtMs: number;
  readonly usedAtMs: number | null;
}

/** The passkeys in storage. Each change and its row in the change log are one transaction. */
export class PasskeyStore {
  readonly #db: Database;
  readonly #changes: ChangeLog;

  constructor(parts: OperatorOptions) {
    this.#db = parts.db;
    this.#changes = new ChangeLog(parts);
  }

  /** The passkeys of a member, the oldest first. */
  async list(memberId: string): Promise<Passkey[]> {
    return (await this.#db.knex('member_passkeys').where({ member_id: memberId }).orderBy('id')).map(passkeyFrom);
  }

  /** The passkey with this credential and the e-mail of its member; null for none. */
  async find(credentialId: string): Promise<{ readonly passkey: Passkey; readonly email: string } | null> {
    const row: Row | undefined = await this.#db
      .knex('member_passkeys')
      .join('members', 'members.id', 'member_passkeys.member_id')
      .where({ credential_hash: hashSecret(credentialId) })
      .first('member_passkeys.*', 'members.email');
    return row ? { passkey: passkeyFrom(row), email: text(row.email) } : null;
  }

  /** Adds it. Throws Fault invalid_request for one that is known, or too many. */
  async add({ member }: SignedIn, passkey: Passkey): Promise<void> {
    await writing(this.#db, async (trx) => {
      await assertMember(trx, member.id);
      await assertRoom(trx, passkey);
      const hash = { credential_hash: hashSecret(passkey.credentialId) };
      await trx('member_passkeys').insert({ ...passkeyColumns(passkey), ...hash });
      const change = { before: null, after: shown(passkey) };
      await this.#changes.log(trx, member, { what: 'passkey.add', subject: passkey.id, ...change });
    });
  }

  /** The renamed passkey; null when the member has none with this id. */
  async rename({ member }: SignedIn, id: string, name: string): Promise<Passkey | null> {
    return writing(this.#db, async (trx) => {
      const before = await lockedPasskey(trx, member.id, id);
      if (!before) return null;
      const after = { ...before, name };
      await trx('member_passkeys').where({ id }).update({ name });
      const change = { before: shown(before), after: shown(after) };
      await this.#changes.log(trx, member, { what: 'passkey.rename', subject: id, ...change });
      return after;
    });
  }

  /** False when the member has none with this id. */
  async remove({ member }: SignedIn, id: string): Promise<boolean> {
    return writing(this.#db, async (trx) => {
      const before = await lockedPasskey(trx, member.id, id);
      if (!before) return false;
      await trx('member_passkeys').where({ id }).delete();
      await this.#changes.log(trx, member, { what: 'passkey.remove', subject: id, before: shown(before), after: null });
      return true;
    });
  }

  /** Keeps the counter and opens the session; null when the passkey was used meanwhile, or is gone. */
  async open(passkey: Passkey, counter: number, session: NewMemberSession): Promise<SignedIn | null> {
    return writing(this.#db, async (trx) => {
      const same = trx('member_passkeys').where({ id: passkey.id, counter: passkey.counter });
      if ((await same.update({ counter, used_at_ms: session.openedAtMs })) === 0) return null;
      return insertSession({ trx, changes: this.#changes }, passkey.memberId, session);
    });
  }

  /** Logs a signature that is right and whose counter has not moved on: the passkey has been copied. */
  async noteCopy({ id, memberId, counter }: Passkey, sent: number): Promise<void> {
    await writing(this.#db, async (trx) => {
      await assertMember(trx, memberId);
      const row: Row | undefined = await trx('members').where({ id: memberId }).first();
      if (!row) return;
      const [before, after] = [{ counter }, { counter: sent }];
      await this.#changes.log(trx, memberFrom(row), { what: 'passkey.copied', subject: id, before, after });
    });
  }
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
