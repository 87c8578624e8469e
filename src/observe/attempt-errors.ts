/** What metrics and traces call an attempt that was not answered. */
import type { AttemptOutcome } from '#orders/ports.ts';

/** The word of each outcome; null for one that was answered. docs/operating.md. */
export const ATTEMPT_ERRORS = {
  complete: null,
  failed: 'failed',
  'no-slot': 'full',
  refused: 'refused',
  aborted: 'aborted',
} as const satisfies Record<AttemptOutcome['kind'], string | null>;
