/** The handlers of what only members of the operator may call, in one table. */
import { type PodsOptions, podsHandlers } from './pods.ts';

/** What they need. */
export type OperatorParts = PodsOptions;

/** The table. */
export function operatorHandlers(parts: OperatorParts) {
  return {
    ...podsHandlers(parts),
  };
}
