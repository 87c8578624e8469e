/** The operator of a gateway: opens accounts, adds money and makes keys, with the parts that the command line uses. */

import { COMMAND_LINE, type MemberPlace } from '#access/member.ts';
import type { KeySettings, PriceLimits } from '#access/principal.ts';
import { Accounts } from '#accounts/account/account-store.ts';
import { Keys } from '#accounts/keys/key-store.ts';
import { Transfers } from '#accounts/ledger/transfers.ts';
import { Members } from '#accounts/members/member-store.ts';
import { OperatorTokens } from '#accounts/members/operator-tokens.ts';
import type { Clock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { priceFromUsd } from '#base/money.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';

export { COMMAND_LINE };

/** An account and its key. */
export interface TestAccount {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
}

/** Budget, expiry and models of a key. */
export type TestKeySettings = KeySettings;

/** How an account starts. Default: $100, 30 days of retention and no default price limits. */
export interface TestAccountOptions {
  readonly creditUsd?: number;
  readonly retentionDays?: number;
  /** Default price limits in USD, by model. */
  readonly priceLimits?: Readonly<Record<string, number>>;
  readonly keyPriceLimits?: Readonly<Record<string, number>>;
  readonly keySettings?: TestKeySettings;
}

/** An operator with a separate connection to the gateway's database. */
export class TestOperator {
  readonly database: Database;
  readonly #accounts: Accounts;
  readonly keys: Keys;
  readonly #transfers: Transfers;
  readonly tokens: OperatorTokens;
  readonly #members: Members;

  constructor(databaseUrl: string, clock: Clock) {
    this.database = openDatabase(databaseUrl);
    const parts = { db: this.database, clock, ids: idSource(clock) };
    this.#accounts = new Accounts(parts);
    this.keys = new Keys(parts);
    this.#transfers = new Transfers(parts);
    this.tokens = new OperatorTokens(parts);
    this.#members = new Members(parts);
  }

  async createAccount(options: TestAccountOptions = {}): Promise<TestAccount> {
    const { creditUsd = 100, retentionDays = 30, priceLimits = {}, keyPriceLimits = {}, keySettings } = options;
    const { id } = await this.#accounts.create({ name: 'Test', retentionDays }, COMMAND_LINE);
    const credit = BigInt(Math.round(creditUsd * 1e9));
    if (credit > 0n) await this.#transfers.credit(id, credit, { force: true }, COMMAND_LINE);
    await this.#accounts.setDefaults(id, { priceLimits: pricesOf(priceLimits) });
    const settings = { ...keySettings, priceLimits: pricesOf(keyPriceLimits) };
    const { key, secret } = await this.keys.create(id, settings, COMMAND_LINE);
    return { id, key: secret, keyId: key.id };
  }

  async suspend(accountId: string): Promise<void> {
    await this.#accounts.suspend(accountId, COMMAND_LINE);
  }

  async resume(accountId: string): Promise<void> {
    await this.#accounts.resume(accountId, COMMAND_LINE);
  }

  /** Makes an address a member; resolves with the token of its link. */
  async invite(email: string, place: MemberPlace): Promise<string> {
    return (await this.#members.invite(email, place, COMMAND_LINE)).link?.token ?? '';
  }

  async removeMember(email: string): Promise<void> {
    await this.#members.remove(email, COMMAND_LINE);
  }

  /** Makes a file expire, as if it had been uploaded long ago. */
  async expire(id: string, nowMs: number): Promise<void> {
    await this.database.knex('files').where({ id }).update({ expires_at_ms: nowMs });
    await this.database.knex('results').where({ order_id: id }).update({ expires_at_ms: nowMs });
  }

  /** Runs `act` while no account and no order can be written or made. */
  async withLockedBooks<Result>(act: () => Promise<Result>): Promise<Result> {
    const transaction = await this.database.knex.transaction();
    try {
      // Writes that change nothing lock every row, and on MySQL the gaps between them.
      await transaction('accounts').update({ held: transaction.ref('held') });
      await transaction('orders').update({ attempt: transaction.ref('attempt') });
      return await act();
    } finally {
      await transaction.rollback();
    }
  }

  async close(): Promise<void> {
    await this.database.close();
  }
}

function pricesOf(usd: Readonly<Record<string, number>>): PriceLimits {
  return Object.fromEntries(Object.entries(usd).map(([model, limit]) => [model, priceFromUsd(limit)]));
}
