/** API keys as the operator handles them. The secret is returned once and kept nowhere. Spec 5, 8. */
import { hashKey, hintOf, newApiKey } from '#access/api-key.ts';
import { limitDefaults } from '#access/limits.ts';
import type { ApiKey, PriceLimits } from '#access/principal.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import { apiKeyFrom } from './account-record.ts';
import type { Database, OperatorParts } from './database.ts';
import { lockAccount, noAccount, writing } from './transaction.ts';
import { int, type Row, text } from './values.ts';

const NAME_LENGTH_MAX = 255;

/** Makes, lists and revokes keys. */
export class Keys {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor(parts: OperatorParts) {
    this.#db = parts.db;
    this.#clock = parts.clock;
    this.#ids = parts.ids;
  }

  /**
   * A new key and, this once, its secret; `activeMax` keys of the account may be active at once, Spec 8's 50 when absent.
   * Throws Fault not_found, too_many_keys, invalid_request (the name).
   */
  async create(
    accountId: string,
    settings: { name?: string; priceLimits?: PriceLimits; activeMax?: number } = {},
  ): Promise<{ key: ApiKey; secret: string }> {
    const { name = 'key', priceLimits = {}, activeMax = limitDefaults.activeKeysPerAccount } = settings;
    if (name === '' || name.length > NAME_LENGTH_MAX) {
      throw new Fault('invalid_request', { message: 'A key has a name of 1 to 255 characters.' });
    }
    const secret = newApiKey();
    const key: ApiKey = {
      id: this.#ids.uuid(),
      accountId,
      name,
      hint: hintOf(secret),
      priceLimits,
      createdAtMs: this.#clock.nowMs(),
      revokedAtMs: null,
    };
    await writing(this.#db, async (trx) => {
      // The lock makes two keys asked for at once count one after the other.
      await lockAccount(trx, accountId);
      const active = await trx('api_keys')
        .where({ account_id: accountId })
        .whereNull('revoked_at_ms')
        .first(trx.raw('COUNT(*) AS number'));
      if (int(active.number) >= activeMax) throw new Fault('too_many_keys');
      await trx('api_keys').insert({
        id: key.id,
        account_id: accountId,
        hash: hashKey(secret),
        name,
        hint: key.hint,
        price_limits: JSON.stringify(priceLimits),
        created_at_ms: key.createdAtMs,
        revoked_at_ms: null,
      });
    });
    return { key, secret };
  }

  /** The account's keys, oldest first, revoked ones too. Throws Fault not_found. */
  async list(accountId: string): Promise<ApiKey[]> {
    const account = await this.#db.knex('accounts').where({ id: accountId }).first('id');
    if (!account) throw noAccount(accountId);
    const rows: Row[] = await this.#db
      .knex('api_keys')
      .where({ account_id: accountId })
      .orderBy(['created_at_ms', 'id']);
    return rows.map(apiKeyFrom);
  }

  /** Ends a key for good; again changes nothing. Throws Fault not_found. */
  async revoke(keyId: string): Promise<ApiKey> {
    const { knex } = this.#db;
    await writing(this.#db, (trx) =>
      trx('api_keys').where({ id: keyId }).whereNull('revoked_at_ms').update({ revoked_at_ms: this.#clock.nowMs() }),
    );
    const row: Row | undefined = await knex('api_keys').where({ id: keyId }).first();
    if (!row)
      throw new Fault('not_found', {
        message: `There is no key ${JSON.stringify(text(keyId))}; sluice key list ACCOUNT has the ids.`,
      });
    return apiKeyFrom(row);
  }
}
