/** What the view of one model asks for. Each is one request, whose address is shown beside what it gives. */
import type { Model, paths } from '#generated/types.ts';
import { answered, api } from './api.ts';

/** A request to the API: where it goes, and what it asks for. */
export interface Asking<T> {
  /** With its query, as a reader may call it. */
  readonly path: string;
  readonly ask: () => Promise<T>;
}

/** The periods that a reader may choose. */
export const RANGES = ['1h', '24h', '7d', '30d'] as const;
/** One of them. */
export type ChartRange = (typeof RANGES)[number];
/** How long each is. */
export const RANGE_MS: Readonly<Record<ChartRange, number>> = {
  ...{ '1h': 3_600_000, '24h': 86_400_000 },
  ...{ '7d': 7 * 86_400_000, '30d': 30 * 86_400_000 },
};
/** Those of what is summed in quarters of an hour. */
export const LONG_RANGES = ['24h', '7d', '30d'] as const;
/** One of them. */
export type LongRange = (typeof LONG_RANGES)[number];
/** Those of uptime, which reaches back further; the longest first. */
export const UPTIME_RANGES = ['90d', '30d', '7d', '24h'] as const;
/** One of them. */
export type UptimeRange = (typeof UPTIME_RANGES)[number];

/** The narrowest candles that make sense of each period, in seconds. */
export const CANDLE_S: Readonly<Record<ChartRange, number>> = { '1h': 60, '24h': 900, '7d': 3600, '30d': 7200 };

/**
 * How often it is asked for what is summed in quarters of an hour or carried on by the stream. A request that comes alone
 * costs the gateway as much as fifty frames of the stream.
 */
export const SLOW_MS = 900_000;

type Query = Readonly<Record<string, string | number>>;

function asking<T>(path: keyof paths & string, query: Query, ask: () => Promise<T>): Asking<T> {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return { path: `${path}?${new URLSearchParams(texts)}`, ask };
}

/** What a model can do, and how its prices are made. */
export type ModelFacts = Model;

/** Every model on sale. */
export function askModels() {
  return asking('/v1/models', {}, () => answered(api.GET('/v1/models')));
}

/** One model. */
export function askModel(model: string) {
  return {
    path: `/v1/models/${encodeURIComponent(model)}`,
    ask: () => answered(api.GET('/v1/models/{model}', { params: { path: { model } } })),
  };
}

/** The level as a line. */
export function askHistory(model: string, range: ChartRange) {
  const query = { model, range };
  return asking('/v1/market/history', query, () => answered(api.GET('/v1/market/history', { params: { query } })));
}

/** The level as candles of so many seconds. */
export function askCandles(model: string, range: ChartRange, bucketS: number) {
  const query = { model, range, bucket: String(bucketS) };
  return asking('/v1/market/ohlc', query, () => answered(api.GET('/v1/market/ohlc', { params: { query } })));
}

/** The quote now. */
export function askQuote(model: string) {
  const query = { model };
  return asking('/v1/market/price-lock', query, () =>
    answered(api.GET('/v1/market/price-lock', { params: { query } })),
  );
}

/** What was sold. */
export function askVolume(model: string, range: LongRange) {
  const query = { model, range };
  return asking('/v1/stats/tokens', query, () => answered(api.GET('/v1/stats/tokens', { params: { query } })));
}

/** What waits at which bid. */
export function askDepth(model: string) {
  const query = { model };
  return asking('/v1/market/depth', query, () => answered(api.GET('/v1/market/depth', { params: { query } })));
}

/** When so many requests at a limit would start, and what they would cost. */
export function askEstimate(
  model: string,
  { limit, withinS, requests, input, output }: Record<'limit' | 'withinS' | 'requests' | 'input' | 'output', number>,
) {
  // Plain decimals, also of a tiny limit.
  const price_limit = limit.toFixed(9);
  const query = { model, price_limit, within_s: withinS, requests, input_tokens: input, output_tokens: output };
  return asking('/v1/market/estimate', query, () => answered(api.GET('/v1/market/estimate', { params: { query } })));
}

/** How right estimates were; those of any bid have it. */
export function askReliability(model: string) {
  const query = { model };
  return asking('/v1/market/estimate', query, () => answered(api.GET('/v1/market/estimate', { params: { query } })));
}

/** Past quotes, and how many locks started. */
export function askLocks(model: string, range: LongRange) {
  const query = { model, range };
  return asking('/v1/market/locks', query, () => answered(api.GET('/v1/market/locks', { params: { query } })));
}

/** How long requests took. */
export function askLatency(model: string, range: LongRange) {
  const query = { model, range };
  return asking('/v1/stats/latency', query, () => answered(api.GET('/v1/stats/latency', { params: { query } })));
}

/** Probes; of all models where none is named. */
export function askUptime(model: string | null, range: UptimeRange) {
  const period = range === '90d' ? { days: '90' } : { range };
  const query = model === null ? period : { model, ...period };
  return asking('/v1/uptime', query, () => answered(api.GET('/v1/uptime', { params: { query } })));
}
