/** What the pages of the market ask a gateway for again and again while somebody looks at them. */

/** How often a path is asked for. Its model and what else differs between readers is left out. */
export type Asked = readonly [path: string, everyMs: number];

const [OFTEN_MS, SELDOM_MS] = [300_000, 900_000];

/** By every page of the market. */
export const ASKED_BY_BOARD: readonly Asked[] = [['/v1/market/summary', OFTEN_MS]];

/** By the page of a model besides, with its top in view on a screen of 1440 by 1200. What is below waits until it is in view. */
export const ASKED_BY_MODEL: readonly Asked[] = [
  ['/v1/market/estimate', OFTEN_MS],
  ['/v1/market/depth', OFTEN_MS],
  // The chart and the last levels.
  ['/v1/market/history', SELDOM_MS],
  ['/v1/market/history', SELDOM_MS],
  ['/v1/market/locks', SELDOM_MS],
  ['/v1/market/price-lock', SELDOM_MS],
  ['/v1/models/tide-70b', SELDOM_MS],
  ['/v1/stats/tokens', SELDOM_MS],
];
