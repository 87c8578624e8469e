/** The caller: an account and the key it used, with their defaults, and what of the account it reaches. */
import type { BudgetReset, KeyBudget } from '#base/key-budget.ts';
import type { NanoUsd, PriceNano } from '#base/money.ts';
import type { Reach } from '#base/reach.ts';

/** What a key may be allowed; `scopes.ts` says what each allows. */
export const scopes = ['inference', 'read_own', 'read_all', 'manage'] as const;
export type Scope = (typeof scopes)[number];

/** Default price limits by model id. */
export type PriceLimits = Readonly<Record<string, PriceNano>>;

/** The stored state and settings of an account. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** `paused`: its owner has suspended the keys. `closed`: for good, unless the operator opens it again. */
  readonly status: 'active' | 'paused' | 'suspended' | 'deleting' | 'closed';
  readonly balance: bigint;
  readonly held: bigint;
  readonly priceLimits: PriceLimits;
  readonly priceLock: boolean;
  readonly orderTimeoutS: number;
  readonly retentionDays: number;
  readonly logPayloads: boolean;
  /** The gateway's own account, for probes. */
  readonly house: boolean;
  readonly createdAtMs: number;
}

/** A stored key; the secret itself is not stored. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The first and last characters, to recognize the key. */
  readonly hint: string;
  readonly priceLimits: PriceLimits;
  /** Null for none. */
  readonly budget: KeyBudget | null;
  /** The ids of the models that it may use; null for all. */
  readonly models: readonly string[] | null;
  /** The scopes as they were set; null if none were: see `scopesOf`. */
  readonly scopes: readonly Scope[] | null;
  /** From where it may be used: addresses and networks; null for anywhere. */
  readonly addresses: readonly string[] | null;
  /** The member of the account with whom it ends; null for none. */
  readonly memberId: string | null;
  /** Whether a request with misspelt names of the gateway's own fields or headers is refused. */
  readonly strict: boolean;
  /** When it stops working; null for never. */
  readonly expiresAtMs: number | null;
  /** Until when the secret before the last rotation is accepted, too; null when the key was never rotated. */
  readonly previousUntilMs: number | null;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

/** The settings of a key that can change at any time. Absent ones stay as they are. */
export interface KeySettings {
  /** 1 to 255 characters. */
  readonly name?: string;
  /** Above 0 and at most a million dollars; null for none. */
  readonly budget?: NanoUsd | null;
  /** When the budget starts again; `never` at first. */
  readonly reset?: BudgetReset;
  /** In the future; null for never. */
  readonly expiresAtMs?: number | null;
  /** Ids of models, at least one; null for all. */
  readonly models?: readonly string[] | null;
  /** At least one; null: the default, which follows budget and models. */
  readonly scopes?: readonly Scope[] | null;
  /** 1 to 50 addresses and networks; null for anywhere. */
  readonly addresses?: readonly string[] | null;
  /** The e-mail of a member of the account; null for none. */
  readonly member?: string | null;
  readonly strict?: boolean;
  /** Default price limits, which replace the previous ones. */
  readonly priceLimits?: PriceLimits;
}

/** A key and the account that it belongs to. */
export interface Authenticated {
  readonly account: Account;
  readonly key: ApiKey;
}

/** The caller of an operation that its key allows. */
export interface Principal extends Authenticated {
  readonly reach: Reach;
}

/** The id of the account that probes run on. */
export const HOUSE_ID = 'house';
