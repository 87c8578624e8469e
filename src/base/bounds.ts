/**
 * The bounds of Spec 8 that are part of the interface, so no operator can change them. Both the refusals and the list
 * of limits (GET /v1/rate-limits) read them here. Limits that can be changed are in `access/limits.ts`.
 */

/** A minimum and a maximum, both inclusive. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** How long an order may wait, in seconds. A lower `max_wait` is raised to the minimum. Timer: `orders/expiry-timer.ts`. */
export const ORDER_TIMEOUT_S: Range = { min: 10, max: 2_592_000 };
/** How long a locked order has to start, in seconds. Spec 1.6. */
export const LOCK_WINDOW_S = 10;
/** The largest output cap accepted; it is then reduced to the model's own. */
export const OUTPUT_CAP_MAX = 10_000_000;
/** The most stop sequences of a request, and the most characters of each. */
export const STOP_SEQUENCES = { max: 4, lengthMax: 256 } as const;
/** The most ids in one repricing. */
export const REPRICE_IDS_MAX = 500;
/** The bounds of a batch's metadata. */
export const BATCH_METADATA = { pairsMax: 16, keyLengthMax: 64, valueLengthMax: 512 } as const;
/** The longest retention; and the shortest retention of batch output, whatever the account's setting. */
export const RETENTION_DAYS_MAX = 30;
export const BATCH_RETENTION_DAYS_MIN = 1;
/** The range of one top-up, unless an operator overrides it. */
export const TOP_UP_USD: Range = { min: 10, max: 10_000 };

/**
 * How deeply JSON may be nested, in requests and in backend output. JSON.parse takes any depth, but JSON.stringify and
 * every recursive reader overflow the stack at a few thousand levels.
 */
export const NESTING_MAX = 256;
