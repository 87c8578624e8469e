/**
 * The bounds of Spec 8 that belong to the interface and that no operator can set. What refuses a request and what prints
 * the limits (GET /v1/rate-limits) read the same figures here. The limits that can be set are in `access/limits.ts`.
 */

/** The least and the most of something, both included. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The size of a page when none is asked for, and the largest. */
export interface PageSize {
  readonly standard: number;
  readonly max: number;
}

/** How long an order may wait, in seconds; a `max_wait` below the least is raised to it. */
export const ORDER_TIMEOUT_S: Range = { min: 10, max: 2_592_000 };
/** How long a locked order has to start, in seconds. Spec 1.6. */
export const LOCK_WINDOW_S = 10;
/** The largest output cap that is taken before it is clamped to the model's own. */
export const OUTPUT_CAP_MAX = 10_000_000;
/** Stop sequences of a request, and the characters of one. */
export const STOP_SEQUENCES = { max: 4, lengthMax: 256 } as const;
/** Ids in one repricing. */
export const REPRICE_IDS_MAX = 500;
/** Metadata of a batch. */
export const BATCH_METADATA = { pairsMax: 16, keyLengthMax: 64, valueLengthMax: 512 } as const;
/** The longest that data is kept, and the least for the output of a batch, whatever the account's setting. */
export const RETENTION_DAYS_MAX = 30;
export const BATCH_RETENTION_DAYS_MIN = 1;
/** One top-up, unless an operator forces it. */
export const TOP_UP_USD: Range = { min: 10, max: 10_000 };

export const ORDERS_PAGE: PageSize = { standard: 100, max: 500 };
export const USAGE_PAGE: PageSize = { standard: 50, max: 200 };
/** Of files and of batches. */
export const FILES_PAGE: PageSize = { standard: 20, max: 100 };
