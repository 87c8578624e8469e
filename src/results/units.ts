/** The journal units of results. The blob of a large one is written before its unit, and deleted after it. */
import type { PlainOutcome } from '#base/journal.ts';

/** The units of results. */
export interface ResultUnits {
  readonly 'result-stored': { readonly unit: ResultStoredUnit; readonly outcome: PlainOutcome };
  readonly 'result-removed': { readonly unit: ResultRemovedUnit; readonly outcome: PlainOutcome };
}

/** The result of a done order is in the result store. `stale`: it is no longer wanted. */
export interface ResultStoredUnit {
  readonly kind: 'result-stored';
  readonly orderId: string;
  readonly accountId: string;
  readonly bytes: number;
}

/** A done order has no stored result from now on; the result store's `delete` follows the commit. */
export interface ResultRemovedUnit {
  readonly kind: 'result-removed';
  readonly orderId: string;
  readonly accountId: string;
}
