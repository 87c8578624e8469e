/** Replies that stay the same until the configuration changes. */
import type { IncomingHttpHeaders } from 'node:http';
import { rendered } from '#contract/reply.ts';
import { type ConditionalReply, conditionalReply } from './conditional.ts';

/** How long clients may cache the reply: they see a new configuration at most this much later. */
const MAX_AGE_S = 60;

/** Replies with the same JSON to everybody. */
export type StaticReply<Json> = (call: { readonly headers: IncomingHttpHeaders }) => ConditionalReply<Json>;

/** Replies with `json`, or with 304 to a client that has it already. */
export function staticReply<Json>(json: Json): StaticReply<Json> {
  const raw = rendered(json);
  return ({ headers }) => conditionalReply(headers, { raw, maxAgeS: MAX_AGE_S });
}
