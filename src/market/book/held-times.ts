/**
 * What a market knows of its accounts: how long their orders hold a slot, their credit, and how much their locks count.
 * What waits unserved counts only as far as its account has credit, and credit comes from holding slots, which costs money.
 * So nobody moves the prices by much more than the slot time that they pay for. Accounts without an ended order
 * are one. docs/decisions/0035.
 */
/** The weight of the newest order in the means of its account. */
const NEWEST_WEIGHT = 0.2;
/** The part that an order of an unknown account counts when it starts; the rest counts when it ends. */
const UNKNOWN_STARTS_MS = 1000;
const UNKNOWN_WAITS_MS = 4000;
/** With fewer ended orders than this, the mean says little, and the end of an order corrects what it counted. */
export const KNOWN_ORDERS = 5;
/** Credit is forgotten over this time. */
const CREDIT_MS = 60_000;
/** An order that holds its slot for this long claims a whole one. */
const WHOLE_CLAIM_MS = 4000;
/** The least mean: with a mean of 0 any number of orders would count. */
const CLAIM_MIN = 1 / 256;
/** An account's starts and locks are forgotten over this time. */
const SHARE_MS = 600_000;
/** A lock of an account counts fully up to this many times its share. */
const SHARES = 2;
/** The number of accounts that are remembered; those that ended an order longest ago are forgotten first. */
const ACCOUNTS_MAX = 10_000;
/** The number of accounts that are stored for a restart. */
const STORED_MAX = 300;
/** Each stored number is a whole number of this part. */
const PARTS = 1000;

/** One account, or all that are unknown. */
export interface HeldTime {
  meanMs: number;
  /** The mean part of a slot that its orders claim. */
  claim: number;
  /** How many of its orders ended, up to the number that makes it known. */
  ended: number;
  /** Slot milliseconds, as of `atMs`. */
  credit: number;
  /** What it started, in claims of slots, and how many locks it sent, as of `atMs`. */
  claimed: number;
  locks: number;
  held: number;
  atMs: number;
  /** Whether it was forgotten; its account may be known again as another one. */
  isGone: boolean;
}

/** The numbers of an account that are stored, in this order. */
const STORED = ['meanMs', 'claim', 'ended', 'credit', 'claimed', 'locks'] as const;

/** The accounts that ended an order last, the latest last, each with its stored numbers; and those of all that are unknown. */
export type HeldTimesState = ReturnType<HeldTimes['state']>;

/** An account, with what is known about it while it is here. */
export interface Runner {
  readonly id: string;
  /** Kept by `HeldTimes`; null until it is asked for. */
  runs: HeldTime | null;
}

/** The part of a slot, 0 to 1, that an order claimed. After the clock stepped back it is unknown and counts as 1. */
export function claimOf(heldMs: number): number {
  return heldMs < 0 ? 1 : Math.min(1, heldMs / WHOLE_CLAIM_MS);
}

/** What each account of a state has started lately, in claims of slots. */
export function claimedIn({ accounts }: HeldTimesState): readonly (readonly [account: string, claimed: number])[] {
  return accounts.map(([account, ...numbers]) => [account, numbers[STORED.indexOf('claimed')] ?? 0]);
}

/** The accounts of one market. Time is an argument; when it steps back, nothing is earned or forgotten. */
export class HeldTimes {
  /** In the order in which they ended an order last. */
  readonly #accounts = new Map<string, HeldTime>();
  readonly #unknown: HeldTime;
  /** What all have claimed, and the weights of their locks. */
  readonly #all: HeldTime;

  constructor(nowMs: number, recovered: HeldTimesState | null = null) {
    const { atMs, unknown, accounts } = recovered ?? { atMs: nowMs, unknown: [], accounts: [] };
    this.#unknown = restored(unknown, atMs);
    this.#all = restored(unknown, atMs);
    for (const [account, ...numbers] of accounts) {
      const own = restored(numbers, atMs);
      this.#accounts.set(account, own);
      this.#all.claimed += own.claimed;
      this.#all.locks += own.locks;
    }
  }

  /** Slot milliseconds that a waiting order of the account counts. */
  ofWaiting(account: Runner): number {
    return this.#known(account)?.meanMs ?? UNKNOWN_WAITS_MS;
  }

  /** Slot milliseconds that an order of the account counts when it starts. */
  ofStart(account: Runner): number {
    return this.#known(account)?.meanMs ?? UNKNOWN_STARTS_MS;
  }

  /** The part of a slot, above 0 to 1, that an order of the account is expected to claim; 1 for an unknown account. */
  claimOf(account: Runner): number {
    return this.#known(account)?.claim ?? 1;
  }

  /** How many orders of the account have ended; not more than five, from which on their mean need not be corrected. */
  ended(account: Runner): number {
    return this.#known(account)?.ended ?? 0;
  }

  /** What is known about the account, which is that of all unknown ones until one of its orders has ended. */
  of(account: Runner, nowMs: number): HeldTime {
    return accrued(this.#known(account) ?? this.#unknown, nowMs);
  }

  /** An order of the account takes a slot, which gives it credit until `gives`. */
  takes(account: Runner, nowMs: number): HeldTime {
    const own = this.of(account, nowMs);
    own.held++;
    return own;
  }

  /** An order gives its slot back. */
  gives(own: HeldTime, nowMs: number): void {
    accrued(own, nowMs).held--;
  }

  /** Orders claim this part of a slot more, or less if negative. */
  claims(own: HeldTime, claim: number, nowMs: number): void {
    const before = accrued(own, nowMs).claimed;
    own.claimed = Math.max(0, before + claim);
    accrued(this.#all, nowMs).claimed += own.claimed - before;
  }

  /** An order of the account ended after this time. */
  learn(account: Runner, heldMs: number, nowMs: number): void {
    const own = this.#known(account) ?? { ...nothing(nowMs), meanMs: heldMs };
    this.#accounts.delete(account.id);
    this.#accounts.set(account.id, own);
    own.meanMs = Math.max(1, own.meanMs + NEWEST_WEIGHT * (heldMs - own.meanMs));
    own.claim = Math.max(CLAIM_MIN, own.claim + NEWEST_WEIGHT * (claimOf(heldMs) - own.claim));
    own.ended = Math.min(KNOWN_ORDERS, own.ended + 1);
    if (this.#accounts.size <= ACCOUNTS_MAX) return;
    for (const [oldest, gone] of this.#accounts) {
      gone.isGone = true;
      this.#accounts.delete(oldest);
      return;
    }
  }

  /** Takes up to this many slot milliseconds of the account's credit, and returns what it took; negative gives back. */
  spend(account: Runner, ms: number, nowMs: number): number {
    const own = this.of(account, nowMs);
    const spent = Math.min(ms, own.credit);
    own.credit -= spent;
    return spent;
  }

  /**
   * How much a lock of the account counts, 0 to 1, in the clear rate and in the correction of the quote: about twice
   * the account's share of what orders claimed lately. So locks that cannot start do not make a market look worse than
   * it is. It is decided before the outcome, and where every account is small, or there is only one, all locks count
   * alike. Names cost nothing, so the locks of unknown accounts count by their share once more. `isNew`: it was sent
   * now, and not before a restart, when it counted among the locks that the account sent.
   */
  weigh(account: Runner, isNew: boolean, nowMs: number): number {
    const own = this.of(account, nowMs);
    const all = accrued(this.#all, nowMs);
    // One is added for each account, so that accounts without a past are equal and above 0.
    const others = this.#accounts.size + 1;
    const share = (own.claimed + 1) / (all.claimed + others);
    const shareOfLocks = (own.locks + 1) / (all.locks + others);
    const ofUnknown = own === this.#unknown ? Math.min(1, SHARES * share) : 1;
    const weight = Math.min(1, (SHARES * share) / shareOfLocks) * ofUnknown;
    if (isNew) {
      own.locks++;
      all.locks += weight;
    }
    return weight;
  }

  /** The state to store for a restart. It changes nothing: what waits may still be counted at an earlier time. */
  state(nowMs: number) {
    const accounts: [account: string, ...numbers: number[]][] = [];
    let older = this.#accounts.size - STORED_MAX;
    for (const [id, own] of this.#accounts) if (older-- <= 0) accounts.push([id, ...stored(own, nowMs)]);
    return { atMs: nowMs, unknown: stored(this.#unknown, nowMs), accounts };
  }

  #known(account: Runner): HeldTime | null {
    if (!account.runs || account.runs.isGone) account.runs = this.#accounts.get(account.id) ?? null;
    return account.runs;
  }
}

function nothing(nowMs: number): HeldTime {
  return { meanMs: 0, claim: 1, ended: 0, credit: 0, claimed: 0, locks: 0, held: 0, atMs: nowMs, isGone: false };
}

function restored(numbers: readonly number[], atMs: number): HeldTime {
  const own = nothing(atMs);
  for (const [at, name] of STORED.entries()) own[name] = numbers[at] ?? own[name];
  return own;
}

/** Each number by its name, and not by a loop over `STORED`, which takes three times as long for hundreds of accounts. */
function stored(own: HeldTime, nowMs: number): number[] {
  const { meanMs, claim, ended, credit, claimed, locks } = accrued({ ...own }, nowMs);
  return [inParts(meanMs), inParts(claim), ended, inParts(credit), inParts(claimed), inParts(locks)];
}

function inParts(number: number): number {
  return Math.round(number * PARTS) / PARTS;
}

/** Earns and forgets up to now. */
function accrued(own: HeldTime, nowMs: number): HeldTime {
  if (nowMs > own.atMs) {
    const left = Math.exp((own.atMs - nowMs) / CREDIT_MS);
    const leftOfShare = left ** (CREDIT_MS / SHARE_MS);
    own.credit = own.credit * left + own.held * CREDIT_MS * (1 - left);
    own.claimed *= leftOfShare;
    own.locks *= leftOfShare;
  }
  own.atMs = nowMs;
  return own;
}
