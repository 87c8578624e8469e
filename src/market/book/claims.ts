/**
 * What part of a slot the orders of each account claim. An order that holds its slot for four seconds or longer claims a
 * whole one, a shorter one the corresponding part, so that starts and places are worth the slot time behind them: a
 * flood of one-token orders weighs what it costs. Until an order has ended it is taken for the mean of its account.
 */
import { type Used, UseOrder } from './use-order.ts';

/** An order that holds its slot for this long claims a whole one. */
const WHOLE_CLAIM_MS = 4000;
/** Nobody is expected to claim less: a mean that went to 0 would let any number of orders count. */
const CLAIM_MIN = 1 / 256;
/** The weight of the newest order in the mean of its account. */
const NEWEST_WEIGHT = 0.2;
/** The number of accounts that are remembered; those that ended an order longest ago are forgotten first. */
const ACCOUNTS_MAX = 10_000;
/** The number of accounts that are stored for a restart. */
const STORED_MAX = 500;
/** Accounts that claim more than this are not stored: an unknown account claims 1. */
const STORED_BELOW = 0.95;

/** The accounts that claim less than a whole slot, for a restart. */
export type ClaimState = readonly (readonly [account: string, claim: number])[];

/** The part of a slot, 0 to 1, that an order claimed. After the clock stepped back it is unknown and counts as 1. */
export function claimOf(heldMs: number): number {
  return heldMs < 0 ? 1 : Math.min(1, heldMs / WHOLE_CLAIM_MS);
}

/** What orders claim on average whose run times are exponentially distributed with this mean. */
export function expectedClaim(meanMs: number): number {
  return -(meanMs / WHOLE_CLAIM_MS) * Math.expm1(-WHOLE_CLAIM_MS / meanMs);
}

/** What was learnt of an account. */
interface Claim {
  mean: number;
}

/** An account, with what is known of its claims while it is here. */
export interface Claimer {
  readonly id: string;
  /** Kept by `Claims`; null until it is asked for. */
  claim: Used<Claim> | null;
}

/** The learnt claims of the accounts of one market. */
export class Claims {
  readonly #accounts = new UseOrder<Claim>();
  /** What was stored last; null when an order has ended since. */
  #stored: ClaimState | null = null;

  constructor(recovered: ClaimState = []) {
    for (const [account, mean] of recovered) this.#accounts.add(account, { mean });
  }

  /** What the next order of the account is expected to claim, 1/256 to 1; 1 for an unknown account. */
  expected(account: Claimer): number {
    return this.#of(account)?.value.mean ?? 1;
  }

  /** An order of the account claimed this part of its slot. */
  learn(account: Claimer, claimed: number): void {
    this.#stored = null;
    const known = this.#of(account);
    if (known) this.#accounts.use(known);
    const own = known ?? this.#accounts.add(account.id, { mean: 1 });
    own.value.mean = Math.max(CLAIM_MIN, own.value.mean + NEWEST_WEIGHT * (claimed - own.value.mean));
    if (this.#accounts.size > ACCOUNTS_MAX) this.#accounts.takeOldest();
  }

  /** The state to store for a restart; the same object until an order ends. */
  state(): ClaimState {
    if (this.#stored) return this.#stored;
    // Those that claim less than a whole slot and ended an order last, the latest last.
    const short: ClaimState[number][] = [];
    for (const { key, value } of this.#accounts) {
      if (value.mean < STORED_BELOW && short.push([key, value.mean]) === STORED_MAX) break;
    }
    this.#stored = short.reverse();
    return this.#stored;
  }

  #of(account: Claimer): Used<Claim> | null {
    if (!account.claim || account.claim.isGone) account.claim = this.#accounts.get(account.id);
    return account.claim;
  }
}
