/** The signing keys of a database. Rows are added and never changed. */

import type { Database } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { int, type Row, text, textOrNull } from '#storage/database/values.ts';
import type { SigningKeyStore, StoredSigningKey } from './ports.ts';

/** The store over `db`. */
export function createSigningKeyStore(db: Database): SigningKeyStore {
  const add = (key: StoredSigningKey, onlyFirst: boolean) =>
    writing(db, async (trx) => {
      await takeTurn(trx, 'signing-keys');
      const rows: Row[] = await trx('signing_keys').select('number', 'kid');
      if (rows.some(({ kid }) => text(kid) === key.kid) || (onlyFirst && rows.length > 0)) return;
      await trx('signing_keys').insert({
        number: Math.max(0, ...rows.map((row) => int(row.number))) + 1,
        kid: key.kid,
        public_key: key.publicKey,
        private_key: key.privateKey,
        created_at_ms: key.createdAtMs,
      });
    });
  return {
    async list() {
      const rows: Row[] = await db.knex('signing_keys').orderBy('number', 'desc');
      return rows.map((row) => ({
        kid: text(row.kid),
        publicKey: text(row.public_key),
        privateKey: textOrNull(row.private_key),
        createdAtMs: int(row.created_at_ms),
      }));
    },
    add: (key) => add(key, false),
    addFirst: (key) => add(key, true),
  };
}
