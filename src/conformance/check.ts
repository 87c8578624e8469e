/** What a check of conformance is, and what it is given: a gateway to ask, over HTTP alone. */
import type { Gateway } from './gateway.ts';

/** One promise of the shapes, tried from outside. */
export interface Check {
  /** What must hold, as a sentence. Names do not change, so that tables can be compared. */
  readonly name: string;
  /** Resolves when it holds. Throws an AssertionError that says what was seen when it does not, and Absent. */
  readonly run: (gateway: Gateway) => Promise<unknown>;
}

/** Checks that belong together. */
export interface CheckGroup {
  readonly name: string;
  readonly checks: readonly Check[];
}
