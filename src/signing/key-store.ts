/** The signing keys of a database. Rows are added and never changed. */

import { codec } from '#storage/database/codec.ts';
import type { Database } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { int, type Row, text, textOrNull } from '#storage/database/values.ts';
import type { SigningKeyStore, StoredSigningKey } from './ports.ts';

const { from: signingKeyFrom, some: signingKeyColumns } = codec<StoredSigningKey>({
  kid: text,
  publicKey: text,
  privateKey: textOrNull,
  createdAtMs: int,
});

/** The store over `db`. */
export function createSigningKeyStore(db: Database): SigningKeyStore {
  const add = (key: StoredSigningKey, onlyFirst: boolean) =>
    writing(db, async (trx) => {
      await takeTurn(trx, 'signing-keys');
      const rows: Row[] = await trx('signing_keys').select('number', 'kid');
      if (rows.some(({ kid }) => text(kid) === key.kid) || (onlyFirst && rows.length > 0)) return;
      await trx('signing_keys').insert({
        ...signingKeyColumns(key),
        number: Math.max(0, ...rows.map((row) => int(row.number))) + 1,
      });
    });
  return {
    async list() {
      const rows: Row[] = await db.knex('signing_keys').orderBy('number', 'desc');
      return rows.map(signingKeyFrom);
    },
    add: (key) => add(key, false),
    addFirst: (key) => add(key, true),
  };
}
