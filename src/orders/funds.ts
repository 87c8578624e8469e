/**
 * Account balances as the order service knows them. The figures come from outcomes of writes, so they are the database's
 * own, at most one commit old; only the database decides whether a hold is granted. How large a hold is: `terms.ts`. A request that the balance cannot
 * cover is refused in `intake.ts`, and at admission by the journal (`storage/journal/balance-batch.ts`); one that only
 * other holds leave no money for waits (`money-waits.ts`).
 */
import type { NanoUsd } from '#base/money.ts';
import { MoneyWaits, type MoneyWaitsOptions } from './money-waits.ts';
import type { FundsStore } from './ports.ts';
import type { Funds } from './units.ts';

/** How many accounts are remembered. */
const REMEMBERED_MAX = 10_000;

/** Funds by account, and the orders that wait for them. */
export class FundsBook {
  readonly #store: FundsStore;
  readonly #known = new Map<string, Funds>();
  readonly waits: MoneyWaits;

  constructor(store: FundsStore, options: MoneyWaitsOptions) {
    this.#store = store;
    this.waits = new MoneyWaits(options);
  }

  /** The account's last known balance; read from the database when unknown. */
  async balance(accountId: string): Promise<NanoUsd> {
    return (this.#known.get(accountId) ?? (await this.#read(accountId))).balance;
  }

  /** The same, if it is known; undefined if it is not. */
  knownBalance(accountId: string): NanoUsd | undefined {
    return this.#known.get(accountId)?.balance;
  }

  /** The account's balance as committed now. Read before a refusal, since another process may have added money. */
  async freshBalance(accountId: string): Promise<NanoUsd> {
    return (await this.#read(accountId)).balance;
  }

  /** Takes in the funds that a write returned; orders that wait for them may return to their books. */
  update(accountId: string, funds: Funds): void {
    this.#known.delete(accountId);
    this.#known.set(accountId, funds);
    const [oldest] = this.#known.size > REMEMBERED_MAX ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    this.waits.funded(accountId, funds);
  }

  /**
   * Reads the money of every account again that orders wait for: top-ups come from outside this process. Rejects at the
   * end if any could not be read.
   */
  async review(): Promise<void> {
    const errors: unknown[] = [];
    for (const accountId of this.waits.accounts) {
      const read = this.#read(accountId).then(() => this.waits.reviewAccount(accountId));
      await read.catch((error) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }

  async #read(accountId: string): Promise<Funds> {
    const funds = (await this.#store.funds(accountId)) ?? { balance: 0n, held: 0n };
    this.update(accountId, funds);
    return funds;
  }
}
