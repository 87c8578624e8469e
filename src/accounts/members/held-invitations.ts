/**
 * Invitations of addresses that are members elsewhere. They are listed, changed and removed as members are, so that nobody
 * learns where else an address belongs; but they have no link, and nobody signs in as one. Decision 43.
 */
import type { Knex } from 'knex';
import type { ConsoleMember } from '#access/member.ts';
import type { Row } from '#storage/database/values.ts';
import { memberFrom } from './member-record.ts';

/** Keeps one. The address must have none in this account. */
export async function hold(
  trx: Knex.Transaction,
  { password_hash: _, ...row }: Record<string, unknown>,
): Promise<void> {
  await trx('held_invitations').insert(row);
}

/** The invitation of these columns; null for none. */
export async function findHeld(trx: Knex.Transaction, which: object): Promise<ConsoleMember | null> {
  const row: Row | undefined = await trx('held_invitations').where(which).first();
  return row ? memberFrom(row) : null;
}

/** Those of an account; as few as its members. */
export async function listHeld(knex: Knex, accountId: string): Promise<ConsoleMember[]> {
  return (await knex('held_invitations').where({ account_id: accountId })).map(memberFrom);
}

/** Removes it; no effect for null. */
export async function dropHeld(trx: Knex.Transaction, held: ConsoleMember | null): Promise<void> {
  if (held) await trx('held_invitations').where({ id: held.id }).delete();
}
