/** One-time links, with which members sign in: one for each member, stored as a hash. */
import type { Knex } from 'knex';
import { DAY_MS } from '#base/time.ts';
import { type NewRow, type Row, text } from '#storage/database/values.ts';

/** How long a one-time link works. */
export const LINK_MS = DAY_MS;

/** Earlier links of the member stop working. */
export async function newLink(trx: Knex.Transaction, link: { readonly member_id: string } & NewRow): Promise<void> {
  await dropLinks(trx, link.member_id);
  await trx('member_links').insert(link);
}

/** Uses up the link with this hash, and returns its member; null when there is no such link, or it ended or was used. */
export async function takeLink(trx: Knex.Transaction, hash: string, nowMs: number): Promise<string | null> {
  // The first transaction that moves the end of the link has it: a second one finds none that is still to end.
  const live = trx('member_links').where({ hash }).where('expires_at_ms', '>', nowMs);
  if ((await live.update({ expires_at_ms: 0 })) === 0) return null;
  const link: Row = await trx('member_links').where({ hash }).first();
  await trx('member_links').where({ hash }).delete();
  return text(link.member_id);
}

/** Links of the member stop working. */
export async function dropLinks(trx: Knex.Transaction, memberId: string): Promise<void> {
  await trx('member_links').where({ member_id: memberId }).delete();
}
