/** The input of a new order as JSON, for its row and for the operator's log of requests. */
import { DAY_MS } from '#base/time.ts';
import type { LiveOrder, PendingSubmission } from './live-order.ts';
import { withFields } from './packed-input.ts';
import type { AcceptUnit } from './units.ts';

/** The model's input in JSON; null when this process does not have it. */
export function inputJson({ input, generation }: LiveOrder): string | null {
  if (input?.json) return input.json.toString();
  return generation ? JSON.stringify(generation.body) : null;
}

/** The request as logged for the operator; null if nothing of the request may be kept. */
export function requestLogOf(order: LiveOrder, { logPayloads, request }: PendingSubmission): AcceptUnit['requestLog'] {
  const { row } = order;
  const json = logPayloads && row.retentionDays > 0 ? inputJson(order) : null;
  if (json === null) return null;
  const expiresAtMs = row.createdAtMs + row.retentionDays * DAY_MS;
  return { body: withFields(json, request.askedBy ?? {}), expiresAtMs };
}
