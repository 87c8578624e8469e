/**
 * Who is calling: an account, the key it used and the defaults that hold for it. Made once per request by the gate.
 */
import type { PriceNano } from '#base/money.ts';

/** Default price limits by model id. */
export type PriceLimits = Readonly<Record<string, PriceNano>>;

/** An account's standing and settings as stored. */
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

/** A key as stored; the secret itself is nowhere. */
export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** The first and last characters, for telling keys apart. */
  readonly hint: string;
  readonly priceLimits: PriceLimits;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

/** The caller of an authenticated request. */
export interface Principal {
  readonly account: Account;
  readonly key: ApiKey;
}
