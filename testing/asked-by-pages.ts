/** What the pages of the market ask a gateway for again and again while somebody looks at them. */

/** A request of a reader, and how often it is sent. */
export type Asked = readonly [path: string, everyMs: number];

const [OFTEN_MS, SELDOM_MS] = [300_000, 900_000];

/** By every page of the market. */
export const ASKED_BY_BOARD: readonly Asked[] = [['/v1/market/summary', OFTEN_MS]];

/**
 * By the page of a model besides, whose chart, depth and last levels are near the view. The other figures over time, further
 * below, are not asked for there.
 */
export const ASKED_BY_MODEL: readonly Asked[] = [
  [
    '/v1/market/estimate?model=tide-70b&price_limit=0.41&within_s=60&requests=1&input_tokens=2000&output_tokens=500',
    OFTEN_MS,
  ],
  ['/v1/market/depth?model=tide-70b', OFTEN_MS],
  ['/v1/market/history?model=tide-70b&range=24h', SELDOM_MS],
  ['/v1/market/history?model=tide-70b&range=1h', SELDOM_MS],
  ['/v1/market/locks?model=tide-70b&range=24h', SELDOM_MS],
  ['/v1/market/price-lock?model=tide-70b', SELDOM_MS],
  ['/v1/models/tide-70b', SELDOM_MS],
  ['/v1/stats/tokens?model=tide-70b&range=24h', SELDOM_MS],
];
