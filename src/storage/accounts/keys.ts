/** The operator's side of API keys. The secret is returned once and never stored, only its hash. Spec 5, 8. */
import { hashKey, hintOf, newApiKey } from '#access/api-key.ts';
import { limitDefaults } from '#access/limits.ts';
import type { ApiKey, PriceLimits } from '#access/principal.ts';
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import type { IdSource } from '#base/id.ts';
import type { Database, OperatorOptions } from '../database/database.ts';
import { lockAccount, noAccount, writing } from '../database/transaction.ts';
import { int, type Row, text } from '../database/values.ts';
import { apiKeyFrom } from './record.ts';

const NAME_LENGTH_MAX = 255;

/** Creates, lists and revokes keys. */
export class Keys {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #ids: IdSource;

  constructor(options: OperatorOptions) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#ids = options.ids;
  }

  /**
   * A new key and, only this once, its secret. The account may have `activeMax` active keys, Spec 8's 50 when absent.
   * Throws Fault not_found, too_many_keys, invalid_request (the name).
   */
  async create(
    accountId: string,
    settings: { name?: string; priceLimits?: PriceLimits; activeMax?: number } = {},
  ): Promise<{ key: ApiKey; secret: string }> {
    const { name = 'key', priceLimits = {}, activeMax = limitDefaults.activeKeysPerAccount } = settings;
    if (name === '' || name.length > NAME_LENGTH_MAX) {
      throw new Fault('invalid_request', { message: 'A key must have a name of 1 to 255 characters.' });
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
      // The row lock makes concurrent requests count one after the other.
      await lockAccount(trx, accountId);
      const active = await trx('api_keys')
        .where({ account_id: accountId })
        .whereNull('revoked_at_ms')
        .first(trx.raw('COUNT(*) AS number'));
      if (int(active.number) >= activeMax) throw tooManyKeys(activeMax);
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

  /** The account's keys, oldest first, including revoked ones. Throws Fault not_found. */
  async list(accountId: string): Promise<ApiKey[]> {
    const account = await this.#db.knex('accounts').where({ id: accountId }).first('id');
    if (!account) throw noAccount(accountId);
    const rows: Row[] = await this.#db
      .knex('api_keys')
      .where({ account_id: accountId })
      .orderBy(['created_at_ms', 'id']);
    return rows.map(apiKeyFrom);
  }

  /**
   * Revokes the key with this id, or this key itself, for good; a second call changes nothing. Throws Fault not_found,
   * whose message never has what looks like a key.
   */
  async revoke(idOrSecret: string): Promise<ApiKey> {
    const { knex } = this.#db;
    const isSecret = idOrSecret.startsWith('sk-');
    const which = isSecret ? { hash: hashKey(idOrSecret) } : { id: idOrSecret };
    await writing(this.#db, (trx) =>
      trx('api_keys').where(which).whereNull('revoked_at_ms').update({ revoked_at_ms: this.#clock.nowMs() }),
    );
    const row: Row | undefined = await knex('api_keys').where(which).first();
    if (row) return apiKeyFrom(row);
    const named = isSecret ? 'such key' : `key ${JSON.stringify(text(idOrSecret))}`;
    throw new Fault('not_found', { message: `There is no ${named}; sluice key list ACCOUNT has the ids.` });
  }
}

function tooManyKeys(activeMax: number): Fault {
  const keys = activeMax === 1 ? '1 active key' : `${activeMax} active keys`;
  return new Fault('too_many_keys', { message: `This account already has ${keys}, its limit. Revoke one first.` });
}
