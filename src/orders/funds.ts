/**
 * Account balances as the order service knows them, and which accounts are parked. The figures come from outcomes of
 * writes, so they are the database's own, at most one commit old; only the database decides whether a hold is granted.
 * An account is parked when a hold was refused only because of its own other holds: its orders wait outside the book
 * until enough is free. A request that the balance cannot cover is refused in `intake.ts`, and at admission by the
 * journal (`storage/journal/balance-batch.ts`).
 */
import type { NanoUsd } from '#base/money.ts';
import type { Command } from '#market/ports.ts';
import { KeyWaits, type KeyWaitsOptions } from './key-waits.ts';
import type { FundsStore } from './ports.ts';
import type { Funds } from './units.ts';

/** How many accounts without parked orders are remembered. */
const REMEMBERED_MAX = 10_000;

/** Funds by account, and the parked ones. */
export class FundsBook {
  readonly #store: FundsStore;
  readonly #known = new Map<string, Funds>();
  /** The smallest hold that a parked account was refused. */
  readonly #parked = new Map<string, NanoUsd>();
  readonly #sendCommand: (command: Command) => void;
  /** Orders that wait for the budget of their key instead. */
  readonly keys: KeyWaits;

  constructor(store: FundsStore, options: KeyWaitsOptions) {
    this.#store = store;
    this.#sendCommand = options.sendCommand;
    this.keys = new KeyWaits(options);
  }

  /** The accounts that are parked. */
  get parked(): string[] {
    return [...this.#parked.keys()];
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

  /** Takes in the funds that a write returned; unparks an account that has enough free now. */
  update(accountId: string, funds: Funds): void {
    this.#known.delete(accountId);
    this.#known.set(accountId, funds);
    if (this.#known.size > REMEMBERED_MAX) this.#forgetOldest();
    const needed = this.#parked.get(accountId);
    if (needed !== undefined && (funds.held === 0n || funds.balance - funds.held >= needed)) this.unpark(accountId);
  }

  /** Parks the account because `hold` was refused. True when it was not parked before. */
  park(accountId: string, hold: NanoUsd): boolean {
    const needed = this.#parked.get(accountId);
    this.#parked.set(accountId, needed === undefined || hold < needed ? hold : needed);
    return needed === undefined;
  }

  /** Unparks the account; no effect when it is not parked. */
  unpark(accountId: string): void {
    if (this.#parked.delete(accountId)) this.#sendCommand({ type: 'unpark', account: accountId });
  }

  /** Reads the money of every parked account again: top-ups come from outside this process. Budgets are tried again. */
  async review(): Promise<void> {
    this.keys.review();
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
