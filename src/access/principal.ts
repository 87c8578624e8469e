/** The caller: an account and the key it used, with their defaults. Made by the authenticator, once per request. */
import type { KeyBudget } from '#base/key-budget.ts';
import type { PriceNano } from '#base/money.ts';

/** Default price limits by model id. */
export type PriceLimits = Readonly<Record<string, PriceNano>>;

/** The stored state and settings of an account. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly status: 'active' | 'suspended' | 'deleting';
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
  /** When it stops working; null for never. */
  readonly expiresAtMs: number | null;
  /** Until when the secret before the last rotation is accepted, too; null when the key was never rotated. */
  readonly previousUntilMs: number | null;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

/** The caller of an authenticated request. */
export interface Principal {
  readonly account: Account;
  readonly key: ApiKey;
}
