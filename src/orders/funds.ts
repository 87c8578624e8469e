/**
 * What the desk knows of accounts' money, and which accounts are parked. The figures come from the outcomes of writes, so
 * they are the database's own, at most a commit old; the database alone decides whether a hold is granted. A parked
 * account was refused a hold only because of its own other holds: its orders wait outside the book until enough is free.
 */
import type { NanoUsd } from '#base/money.ts';
import type { Funds } from './journal-port.ts';
import type { FundsStore } from './ports.ts';

/** Accounts that are remembered while nothing of theirs is parked. */
const REMEMBERED_MAX = 10_000;

/** Funds by account, and the parked ones. */
export class FundsBook {
  readonly #store: FundsStore;
  readonly #known = new Map<string, Funds>();
  /** The smallest hold that a parked account was refused. */
  readonly #parked = new Map<string, NanoUsd>();
  readonly #onUnpark: (accountId: string) => void;

  constructor(store: FundsStore, onUnpark: (accountId: string) => void) {
    this.#store = store;
    this.#onUnpark = onUnpark;
  }

  /** The account's balance as last heard of; read when unknown. */
  async balance(accountId: string): Promise<NanoUsd> {
    return (this.#known.get(accountId) ?? (await this.#read(accountId))).balance;
  }

  /** The account's balance as committed now: before a refusal, since money may have arrived by another way. */
  async freshBalance(accountId: string): Promise<NanoUsd> {
    return (await this.#read(accountId)).balance;
  }

  /** Takes in what a write answered; a parked account for which enough is free now is let back. */
  update(accountId: string, funds: Funds): void {
    this.#known.delete(accountId);
    this.#known.set(accountId, funds);
    if (this.#known.size > REMEMBERED_MAX) this.#forgetOldest();
    const needed = this.#parked.get(accountId);
    if (needed !== undefined && (funds.held === 0n || funds.balance - funds.held >= needed)) this.unpark(accountId);
  }

  /** Notes that `hold` was refused. True when the account was not parked before. */
  park(accountId: string, hold: NanoUsd): boolean {
    const needed = this.#parked.get(accountId);
    this.#parked.set(accountId, needed === undefined || hold < needed ? hold : needed);
    return needed === undefined;
  }

  /** Lets the account back; harmless when it is not parked. */
  unpark(accountId: string): void {
    if (this.#parked.delete(accountId)) this.#onUnpark(accountId);
  }

  /** Looks at the money of every parked account again: top-ups come from outside this process. */
  async review(): Promise<void> {
    for (const accountId of [...this.#parked.keys()]) await this.#read(accountId);
  }

  async #read(accountId: string): Promise<Funds> {
    const funds = (await this.#store.funds(accountId)) ?? { balance: 0n, held: 0n };
    this.update(accountId, funds);
    return funds;
  }

  #forgetOldest(): void {
    for (const accountId of this.#known.keys()) {
      this.#known.delete(accountId);
      return;
    }
  }
}
