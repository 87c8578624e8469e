/** What a unit can use when it is applied, and what it promises. */
import type { Picture } from './picture.ts';

/** Shared by the units of one transaction. `again`: this unit may have been applied before. */
export interface Context {
  readonly picture: Picture;
  readonly again: boolean;
}

/** How a unit is applied. It asks for rows, perhaps for more once it has seen those, and then reads only them. */
export interface UnitKind<Unit, Outcome> {
  /** Asks for the rows that it looks at, but for its account. */
  want?(unit: Unit, context: Context): void;
  /** Asks for rows that only some units need; the first rows show which. Costs a round. */
  wantMore?(unit: Unit, context: Context): void;
  /** Changes rows in the picture. An error is the unit's own fault: it can never be applied. */
  apply(unit: Unit, context: Context): Outcome;
}
