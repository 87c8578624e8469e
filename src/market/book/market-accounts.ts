/**
 * The accounts of one market. Most accounts come back, so those without orders are kept for a while: the next order then
 * needs no new one, and finds what is known of its account by the very string that it is stored under.
 */
import { MarketAccount } from './market-order.ts';

/** So many accounts are kept before it is worth looking for those without orders. */
const KEPT_MIN = 4096;

/** Accounts by their id. */
export class MarketAccounts {
  readonly #accounts = new Map<string, MarketAccount>();
  /** With more than this the idle ones are dropped. */
  #keptMax = KEPT_MIN;

  /** The account if it has been here lately; one without orders may have been dropped. */
  get(id: string): MarketAccount | null {
    return this.#accounts.get(id) ?? null;
  }

  /** The account, a new one if it has not been here lately. */
  of(id: string): MarketAccount {
    let account = this.#accounts.get(id);
    if (!account) {
      if (this.#accounts.size >= this.#keptMax) this.#dropIdle();
      account = new MarketAccount(id);
      this.#accounts.set(id, account);
    }
    return account;
  }

  #dropIdle(): void {
    for (const [id, account] of this.#accounts) if (account.idle) this.#accounts.delete(id);
    this.#keptMax = Math.max(KEPT_MIN, 2 * this.#accounts.size);
  }
}
