/** The audit of the ledger as the operator's console runs and shows it, whichever gateway ran it. */

import type { ConsoleMember } from '#access/member.ts';
import type { NanoUsd } from '#base/money.ts';

/** What was sold in a group of orders. Amounts are above or at 0. */
export interface SoldFigures {
  /** Orders that were settled. */
  readonly orders: number;
  /** Those of them whose tokens the gateway counted itself, because the pod did not say. */
  readonly estimatedOrders: number;
  readonly charged: NanoUsd;
  /** What of it was charged for the estimated ones. */
  readonly estimated: NanoUsd;
  /** What of it was given back since. */
  readonly refunded: NanoUsd;
  /** What the orders cost above their holds, which nobody pays. */
  readonly writtenOff: NanoUsd;
}

/** What was sold in the last days, without the gateway's own probes; groups without orders are absent. */
export interface SoldMoney {
  /** By UTC day, epoch milliseconds of its start, the newest first. */
  readonly days: readonly ({ readonly dayMs: number } & SoldFigures)[];
  /** Of all these days together, by model. */
  readonly models: readonly ({ readonly model: string } & SoldFigures)[];
}

/** What an audit found. */
export interface AuditResult {
  readonly accounts: number;
  readonly orders: number;
  /** How many findings were left out because they are acknowledged. */
  readonly acknowledged: number;
  /** One sentence each, at most 1,001. */
  readonly findings: readonly string[];
  readonly money: SoldMoney;
}

/** A finding, with who explained it since; null where nobody has. */
export interface ShownFinding {
  readonly id: string;
  readonly sentence: string;
  readonly acknowledged: { readonly who: string; readonly atMs: number; readonly reason: string } | null;
}

/** An audit that ended. */
export interface AuditRun extends Omit<AuditResult, 'findings'> {
  /** The e-mail of a member, or `daily`. */
  readonly who: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly findings: readonly ShownFinding[];
}

/** Where audits stand, in all gateways of the database. */
export interface AuditState {
  readonly running: { readonly who: string; readonly startedAtMs: number } | null;
  /** The newest that came to its end; null before the first. */
  readonly last: AuditRun | null;
  /** When one after `last` could not be finished; null for none. */
  readonly failedAtMs: number | null;
}

/** The audits of the operator's console. */
export interface Audits {
  state(): Promise<AuditState>;
  /** Begins one in the background, unless one runs. */
  begin(by: ConsoleMember): Promise<void>;
  /**
   * Records why a finding of the last audit is accepted; later ones leave it out. One that is acknowledged stays as it
   * was. Throws Fault not_found.
   */
  acknowledge(by: ConsoleMember, findingId: string, reason: string): Promise<ShownFinding>;
}
