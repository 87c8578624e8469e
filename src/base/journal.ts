/**
 * The journal as its writers see it: group commit. Units commit in the order in which they were written, so the
 * database always holds a prefix of them. A unit is plain data and is applied whole or not at all. It may be applied
 * twice, with the same outcome. Each subject declares its units in its `units.ts`; units that only storage writes are
 * declared beside their steps in `storage/journal`, which applies all units. docs/understand/lifecycle.md.
 */
import { Fault } from './fault.ts';

/** The units of a subject by kind, each with its outcome. */
type UnitTable<Units> = {
  readonly [Kind in keyof Units]: { readonly unit: { readonly kind: Kind }; readonly outcome: unknown };
};

/** Any unit of a table. */
export type UnitOf<Units extends UnitTable<Units>> = Units[keyof Units]['unit'];

/** The outcome of a unit, by its kind. */
export type OutcomeOf<Units extends UnitTable<Units>, Kind extends PropertyKey> = Units[Kind & keyof Units]['outcome'];

/** Accepts the units of a table. */
export interface JournalPort<Units extends UnitTable<Units>> {
  /**
   * Resolves with the outcome once the unit has committed. Units commit in the order in which they were written. A
   * failed commit is retried until it succeeds or the journal is closed. Rejects with a Fault `unavailable` when the
   * queue is full (only units of kind `accept`), and with the database's error for a unit that can never be applied.
   * With `overdue` a caller waits: it is called once when the outcome is not known by the deadline. A unit that makes
   * something new is then withdrawn unless its commit has begun, and rejects with `unavailable`; others go on.
   */
  write<Unit extends UnitOf<Units>>(unit: Unit, overdue?: () => void): Promise<OutcomeOf<Units, Unit['kind']>>;
  /** True while the database does not commit; nothing is admitted then. */
  readonly stalled: boolean;
}

/** The outcome of a unit that makes one change, or finds a state that does not allow it. */
export type PlainOutcome = { readonly result: 'changed' | 'stale' };

/** The fault for a caller whose write did not commit by the deadline. */
export function overdueFault(): Fault {
  return new Fault('unavailable', {
    message: 'The database did not confirm this in time. It may still be applied: read it back before you repeat it.',
    retryAfterS: OVERDUE_RETRY_S,
  });
}

const OVERDUE_RETRY_S = 1;

/** Waits for `write` until its deadline, then rejects with the fault above, while the write goes on. */
export function inTime<Answer>(write: (overdue: () => void) => Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    write(() => reject(overdueFault())).then(resolve, reject);
  });
}
