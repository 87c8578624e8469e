/**
 * How much the locks of an account count in the clear rate and in the correction of the quote: about twice its share of
 * the slot time that orders claimed lately. Nobody can make a market look worse than it is by sending many locks that
 * cannot start. The weight is decided before the outcome, so it favours neither starts nor misses, and where every
 * account is small, or there is only one, all locks count alike. docs/decisions/0035.
 */
import { type Used, UseOrder } from './use-order.ts';

/** What an account started and sent is forgotten with this time constant. */
export const VOICE_DECAY_MS = 600_000;
const VOICE_MS = 60_000;
/** A lock of an account counts fully up to this many times its share. */
const SHARES = 2;
/** Accounts are forgotten when less than this is left of their claims and locks. */
const FORGOTTEN_BELOW = 0.05;
const ACCOUNTS_MAX = 10_000;
/** The number of accounts that are stored for a restart: those with the most claims. */
const STORED_MAX = 500;

/** What an account started, in claims of slots, and how many locks it sent, both decayed to `atMs` of the state. */
type Voice = [account: string, claims: number, locks: number];

/** The voices that a restart continues from. */
export interface VoiceState {
  readonly atMs: number;
  /** Of all accounts: their claims, and the weights of their locks. */
  readonly all: readonly [claims: number, locks: number];
  /** The one used last comes last. */
  readonly accounts: readonly Readonly<Voice>[];
}

interface Sums {
  claims: number;
  /** Of an account: all it sent. Of all accounts: their weights. */
  locks: number;
  atMs: number;
}

/** An account, with what is known of its voice while it is here. */
export interface Speaker {
  readonly id: string;
  /** Kept by `Voices`; null until it is asked for. */
  voice: Used<Sums> | null;
}

/** The voices of the accounts of one market. Time is an argument; when it steps back, nothing decays. */
export class Voices {
  readonly #accounts = new UseOrder<Sums>();
  readonly #all: Sums;
  /** What was stored last, and until when that says all; null once an account has started or sent something since. */
  #stored: { readonly state: VoiceState; readonly untilMs: number } | null = null;

  constructor(nowMs: number, recovered: VoiceState | null = null) {
    const atMs = recovered?.atMs ?? nowMs;
    const [claims, locks] = recovered?.all ?? [0, 0];
    this.#all = { claims, locks, atMs };
    for (const [account, ...sums] of recovered?.accounts ?? []) {
      this.#accounts.add(account, { claims: sums[0], locks: sums[1], atMs });
    }
    if (recovered) this.#stored = { state: recovered, untilMs: forgottenMs(recovered.accounts, atMs) };
  }

  /** Orders of the account claimed this part of a slot more, or less if negative. */
  claimed(account: Speaker, claim: number, nowMs: number): void {
    const own = this.#of(account, nowMs);
    const before = own.claims;
    own.claims = Math.max(0, before + claim);
    decayed(this.#all, nowMs).claims += own.claims - before;
  }

  /** The claims that the account started during the last minute or so. */
  voice(account: Speaker, nowMs: number): number {
    const own = this.#known(account);
    return own ? (decayed(own.value, nowMs).claims * VOICE_MS) / VOICE_DECAY_MS : 0;
  }

  /** The weight, 0 to 1, of a lock that the account sends now; it is counted. */
  weigh(account: Speaker, nowMs: number): number {
    const weight = this.weightOf(account, nowMs);
    this.#of(account, nowMs).locks++;
    this.#all.locks += weight;
    return weight;
  }

  /** The same of a lock that was counted before, such as one that outlived a restart. */
  weightOf(account: Speaker, nowMs: number): number {
    const own = this.#of(account, nowMs);
    const all = decayed(this.#all, nowMs);
    // One is added for each account, so that those without a past are equal and not nothing.
    const share = (own.claims + 1) / (all.claims + this.#accounts.size);
    const shareOfLocks = (own.locks + 1) / (all.locks + this.#accounts.size);
    return Math.min(1, (SHARES * share) / shareOfLocks);
  }

  /**
   * The state to store for a restart: the same object while nothing happened but time, which decays what is restored from
   * it as well. A clock that stepped back and is beyond that time again is not noticed; the gateway's never does.
   */
  state(nowMs: number): VoiceState {
    const stored = this.#stored;
    if (stored && nowMs >= stored.state.atMs && nowMs < stored.untilMs) return stored.state;
    const accounts = this.#remembered(nowMs);
    const { claims, locks } = decayed(this.#all, nowMs);
    const state: VoiceState = { atMs: nowMs, all: [claims, locks], accounts: mostOf(accounts).reverse() };
    this.#stored = { state, untilMs: forgottenMs(accounts, nowMs) };
    return state;
  }

  /** All accounts of which something is left, the one used last first; the others are forgotten. */
  #remembered(nowMs: number): Voice[] {
    const accounts: Voice[] = [];
    for (const { key, value } of this.#accounts) {
      const { claims, locks } = decayed(value, nowMs);
      if (claims + locks < FORGOTTEN_BELOW) this.#accounts.delete(key);
      else accounts.push([key, claims, locks]);
    }
    return accounts;
  }

  #of(account: Speaker, nowMs: number): Sums {
    this.#stored = null;
    const known = this.#known(account);
    // Kept in the order of use, so that whoever is active is not forgotten.
    if (known) this.#accounts.use(known);
    const own = known ?? this.#accounts.add(account.id, { claims: 0, locks: 0, atMs: nowMs });
    if (this.#accounts.size > ACCOUNTS_MAX) {
      const forgotten = this.#accounts.takeOldest();
      this.#all.claims = Math.max(0, this.#all.claims - (forgotten?.claims ?? 0));
    }
    return decayed(own.value, nowMs);
  }

  #known(account: Speaker): Used<Sums> | null {
    if (!account.voice || account.voice.isGone) account.voice = this.#accounts.get(account.id);
    return account.voice;
  }
}

/** A new list of those with the most claims, in the order given; the first of those that have equally many. */
function mostOf(accounts: readonly Voice[]): Voice[] {
  const least = new Float64Array(accounts.map(([, claims]) => claims)).sort().at(-STORED_MAX) ?? 0;
  let equal = STORED_MAX - accounts.filter(([, claims]) => claims > least).length;
  return accounts.filter(([, claims]) => claims > least || (claims === least && equal-- > 0));
}

/** When the first of these is forgotten. */
function forgottenMs(accounts: readonly Readonly<Voice>[], nowMs: number): number {
  const least = accounts.reduce(
    (least, [, claims, locks]) => Math.min(least, claims + locks),
    Number.POSITIVE_INFINITY,
  );
  return nowMs + VOICE_DECAY_MS * Math.log(least / FORGOTTEN_BELOW);
}

function decayed(sums: Sums, nowMs: number): Sums {
  if (nowMs > sums.atMs) {
    const decay = Math.exp((sums.atMs - nowMs) / VOICE_DECAY_MS);
    sums.claims *= decay;
    sums.locks *= decay;
  }
  sums.atMs = nowMs;
  return sums;
}
