/**
 * What the level knows of the accounts of one market: how long their orders hold a slot, and their credit. What waits unserved
 * counts only as far as its account has credit, and credit comes from holding slots, which costs money. So nobody
 * moves the level by much more than the slot time that they pay for. Accounts of which no order has ended yet are one.
 * docs/decisions/0065.
 */
import { type Used, UseOrder } from './use-order.ts';

/** The weight of the newest order in the mean of its account. */
const NEWEST_WEIGHT = 0.2;
/** What an order of an unknown account counts when it starts; the rest when it ends. */
const UNKNOWN_STARTS_MS = 1000;
const UNKNOWN_WAITS_MS = 4000;
/** With fewer orders that ended, the mean says little, and the end of an order corrects what it counted. */
const KNOWN_ORDERS = 5;
/** Credit is forgotten over this time. */
const CREDIT_MS = 60_000;
/** The number of accounts that are remembered; those that ended an order longest ago are forgotten first. */
const ACCOUNTS_MAX = 10_000;
/** The number of accounts that are stored for a restart. */
const STORED_MAX = 300;

/** The accounts that ended an order last, the latest last: their mean in milliseconds, ended orders, and credit. */
export interface HeldTimesState {
  readonly atMs: number;
  readonly accounts: readonly (readonly [account: string, meanMs: number, ended: number, credit: number])[];
}

/** One account, or all that are unknown. */
export interface HeldTime {
  meanMs: number;
  /** How many of its orders ended, up to the number that makes it known. */
  ended: number;
  /** Slot milliseconds, as of `atMs`. */
  credit: number;
  held: number;
  atMs: number;
}

/** An account, with what is known of it while it is here. */
export interface Runner {
  readonly id: string;
  /** Kept by `HeldTimes`; null until it is asked for. */
  runs: Used<HeldTime> | null;
}

/** The accounts of one market. Time is an argument; when it steps back, nothing is earned or forgotten. */
export class HeldTimes {
  readonly #accounts = new UseOrder<HeldTime>();
  readonly #unknown: HeldTime;

  constructor(nowMs: number, recovered: HeldTimesState | null = null) {
    this.#unknown = { meanMs: 0, ended: 0, credit: 0, held: 0, atMs: nowMs };
    for (const [account, meanMs, ended, credit] of recovered?.accounts ?? [])
      this.#accounts.add(account, { meanMs, ended, credit, held: 0, atMs: recovered?.atMs ?? nowMs });
  }

  /** Slot milliseconds that a waiting order of the account counts. */
  ofWaiting(account: Runner): number {
    return this.#of(account)?.value.meanMs ?? UNKNOWN_WAITS_MS;
  }

  /** Slot milliseconds that an order of the account counts when it starts. */
  ofStart(account: Runner): number {
    return this.#of(account)?.value.meanMs ?? UNKNOWN_STARTS_MS;
  }

  /** Whether enough orders of the account have ended that their mean need not be corrected. */
  isKnown(account: Runner): boolean {
    return (this.#of(account)?.value.ended ?? 0) >= KNOWN_ORDERS;
  }

  /** An order of the account takes a slot, which gives it credit until `gives`. */
  takes(account: Runner, nowMs: number): HeldTime {
    const own = this.#accrued(this.#of(account)?.value ?? this.#unknown, nowMs);
    own.held++;
    return own;
  }

  /** What took a slot gives it back. */
  gives(own: HeldTime, nowMs: number): void {
    this.#accrued(own, nowMs).held--;
  }

  /** An order of the account ended after this time. */
  learn(account: Runner, heldMs: number, nowMs: number): void {
    const known = this.#of(account);
    if (known) this.#accounts.use(known);
    const fresh = { meanMs: heldMs, ended: 0, credit: 0, held: 0, atMs: nowMs };
    const { value } = known ?? this.#accounts.add(account.id, fresh);
    value.meanMs = Math.max(1, value.meanMs + NEWEST_WEIGHT * (heldMs - value.meanMs));
    value.ended = Math.min(KNOWN_ORDERS, value.ended + 1);
    if (this.#accounts.size > ACCOUNTS_MAX) this.#accounts.takeOldest();
  }

  /** Takes up to so many slot milliseconds of the account's credit, and returns what it took; negative gives back. */
  spend(account: Runner, ms: number, nowMs: number): number {
    const own = this.#accrued(this.#of(account)?.value ?? this.#unknown, nowMs);
    const spent = Math.min(ms, own.credit);
    own.credit -= spent;
    return spent;
  }

  /** The state to store for a restart. It changes nothing: what waits may still be counted at an earlier time. */
  state(nowMs: number): HeldTimesState {
    const accounts: HeldTimesState['accounts'][number][] = [];
    for (const { key, value } of this.#accounts) {
      const { meanMs, ended, credit } = this.#accrued({ ...value }, nowMs);
      if (accounts.push([key, Math.round(meanMs), ended, Math.round(credit)]) === STORED_MAX) break;
    }
    return { atMs: nowMs, accounts: accounts.reverse() };
  }

  #accrued(own: HeldTime, nowMs: number): HeldTime {
    if (nowMs > own.atMs) {
      const left = Math.exp((own.atMs - nowMs) / CREDIT_MS);
      own.credit = own.credit * left + own.held * CREDIT_MS * (1 - left);
    }
    own.atMs = nowMs;
    return own;
  }

  #of(account: Runner): Used<HeldTime> | null {
    if (!account.runs || account.runs.isGone) account.runs = this.#accounts.get(account.id);
    return account.runs;
  }
}
