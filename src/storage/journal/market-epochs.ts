/**
 * Under which owner of its market each unit was decided, and who owns it now. The rows of these leases are read with the
 * shared lock of the fence, so that no market changes hands before the commit. Where nothing is fenced, nothing is stale.
 */

import { int, type Row, text } from '../database/values.ts';
import { marketLease } from '../leases/fence.ts';

/** What a unit may name; both are absent where one gateway serves alone. */
interface Decided {
  readonly model?: string;
  readonly epoch?: number;
}

/** The epochs of markets in one transaction. */
export class MarketEpochs {
  /** The leases that were asked for, with the epochs that units name. */
  readonly named = new Map<string, number>();
  #isDisputed = false;
  /** By the names of leases; null while nothing was read. */
  #present: Map<string, number> | null = null;

  /** Asks for the market of a unit, if it names an epoch. */
  want({ model, epoch }: Decided): void {
    if (epoch === undefined || model === undefined) return;
    const lease = marketLease(model);
    this.#isDisputed ||= (this.named.get(lease) ?? epoch) !== epoch;
    this.named.set(lease, epoch);
  }

  /** Whether units name several epochs of one market, so that they cannot all be right. */
  get areDisputed(): boolean {
    return this.#isDisputed;
  }

  /** Leases as the database has them. */
  take(rows: readonly Row[]): void {
    if (this.named.size > 0) this.#present = new Map(rows.map(({ name, epoch }) => [text(name), int(epoch)]));
  }

  /** Whether the market has had another owner since the unit was decided. */
  areStale({ model, epoch }: Decided): boolean {
    if (this.#present === null || epoch === undefined || model === undefined) return false;
    return this.#present.get(marketLease(model)) !== epoch;
  }
}
