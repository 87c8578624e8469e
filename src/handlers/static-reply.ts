/** Replies that stay the same until the configuration changes. */
import type { OpenHandler } from '#contract/call.ts';
import { conditionalReply } from './conditional.ts';

/** How long clients may cache the reply: they see a new configuration at most this much later. */
const MAX_AGE_S = 60;

/** A handler that replies with `json`, or with 304 to a client that has it already. */
export function staticReply(json: unknown): OpenHandler {
  const raw = JSON.stringify(json);
  return ({ headers }) => conditionalReply(headers, { raw, maxAgeS: MAX_AGE_S });
}
