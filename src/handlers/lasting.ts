/** Answers that stay the same for as long as the process lives, because they are read from the configuration. */
import type { OpenHandler } from './call.ts';
import { conditionalReply } from './conditional.ts';

/** How long a reader may go on with what it has: a new configuration is seen at most this much later. */
const MAX_AGE_S = 60;

/** A handler that answers `json`, or 304 to a reader that has it already. */
export function lastingReply(json: unknown): OpenHandler {
  const raw = JSON.stringify(json);
  return ({ headers }) => conditionalReply(headers, { raw, maxAgeS: MAX_AGE_S });
}
