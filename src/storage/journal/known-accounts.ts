/**
 * Accounts as the last transactions left them, so that the next need not ask: it decides from these, and the server checks
 * them before it writes. Where several gateways change the same accounts they are mostly wrong, and then not used for a while.
 */
import type { NanoUsd } from '#base/money.ts';

/** What the journal knows of an account. */
export interface AccountState {
  readonly balance: NanoUsd;
  readonly held: NanoUsd;
  /** Owed for payments that were taken back: free money that may not be held. */
  readonly owed: NanoUsd;
  readonly storedBytes: number;
  readonly house: boolean;
  /** The events that its webhook endpoints subscribe to: the bits of `webhook-event.ts`. */
  readonly wants: number;
}

/** How many accounts are known at once; the one that was changed longest ago is forgotten first. */
const MOST = 1000;
/** After this long without a transaction nothing is relied on: others had time to write, and the session may be gone. */
const FRESH_MS = 1000;
/** For how many transactions nothing is relied on, at most, after one that was wrong. */
const PAUSE_MAX = 64;

/** The accounts that one journal changed last. It alone uses them. */
export class KnownAccounts {
  readonly #accounts = new Map<string, AccountState>();
  #leftAtMs = Number.NEGATIVE_INFINITY;
  /** How many transactions the next wrong one pauses for, before it doubles. */
  #pause = 0;
  #paused = 0;

  /** Before each transaction: whether it may rely on what is known. */
  mayRely(nowMs: number): boolean {
    const isFresh = nowMs - this.#leftAtMs <= FRESH_MS && nowMs >= this.#leftAtMs;
    if (this.#paused === 0) return isFresh;
    this.#paused--;
    return false;
  }

  /** An account as it was left; undefined when that is not known. */
  get(accountId: string): AccountState | undefined {
    return this.#accounts.get(accountId);
  }

  /** A transaction has committed, and left these. `relied`: it had not read them. */
  keep(accounts: Iterable<readonly [id: string, state: AccountState]>, relied: boolean, nowMs: number): void {
    for (const [id, state] of accounts) {
      this.#accounts.delete(id);
      this.#accounts.set(id, state);
    }
    for (const id of this.#accounts.keys()) {
      if (this.#accounts.size <= MOST) break;
      this.#accounts.delete(id);
    }
    this.#leftAtMs = nowMs;
    if (relied) this.#pause >>= 1;
  }

  /** Forgets everything: a transaction failed, or its outcome is unknown. */
  forget(): void {
    this.#accounts.clear();
  }

  /** A transaction relied on wrong or missing values: the next ones read. */
  pause(): void {
    this.forget();
    this.#pause = Math.min(PAUSE_MAX, Math.max(1, this.#pause * 2));
    this.#paused = this.#pause;
  }
}
