/** The signing keys of a database. Rows are added and never changed. `signing-key.ts` makes a key. */
import { codec } from '#storage/database/codec.ts';
import type { Database } from '#storage/database/database.ts';
import { takeTurn, writing } from '#storage/database/transaction.ts';
import { int, type Row, text, textOrNull } from '#storage/database/values.ts';
import type { StoredSigningKey } from './signing-key.ts';

const { from: signingKeyFrom, some: signingKeyColumns } = codec<StoredSigningKey>({
  kid: text,
  publicKey: text,
  privateKey: textOrNull,
  createdAtMs: int,
});

/** The keys of a database. No key is ever deleted: old receipts must still verify. */
export class SigningKeyStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** All keys, the newest first. */
  async list(): Promise<readonly StoredSigningKey[]> {
    const rows: Row[] = await this.#db.knex('signing_keys').orderBy('number', 'desc');
    return rows.map(signingKeyFrom);
  }

  /** Adds a key as the newest, unless it is there already. */
  add(key: StoredSigningKey): Promise<void> {
    return this.#add(key, false);
  }

  /** Adds the first key of a database, unless another gateway did so meanwhile. */
  addFirst(key: StoredSigningKey): Promise<void> {
    return this.#add(key, true);
  }

  async #add(key: StoredSigningKey, onlyFirst: boolean): Promise<void> {
    await writing(this.#db, async (trx) => {
      await takeTurn(trx, 'signing-keys');
      const rows: Row[] = await trx('signing_keys').select('number', 'kid');
      if (rows.some(({ kid }) => text(kid) === key.kid) || (onlyFirst && rows.length > 0)) return;
      await trx('signing_keys').insert({
        ...signingKeyColumns(key),
        number: Math.max(0, ...rows.map((row) => int(row.number))) + 1,
      });
    });
  }
}
