/** What webhooks write through the journal, which groups it with everything else and fences it. */
import type { PlainOutcome } from '#base/journal.ts';

/** The units of webhooks. */
export interface WebhookUnits {
  readonly 'webhook-tried': { readonly unit: WebhookTriedUnit; readonly outcome: PlainOutcome };
}

/** A message was sent, or could not be. */
export interface WebhookTriedUnit {
  readonly kind: 'webhook-tried';
  readonly seq: number;
  readonly attempts: number;
  readonly atMs: number;
  /** The status of the answer; null when there was none. */
  readonly status: number | null;
  /** Why it does not count as delivered, a sentence; null when it does. */
  readonly error: string | null;
  /** When it is tried again; null when it is delivered. */
  readonly nextAtMs: number | null;
}
