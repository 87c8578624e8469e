/**
 * Candles as they are answered, rendered in pages. What is over never changes, so a page that lies wholly in the past is
 * rendered once and kept; only the two ends of a chart are rendered anew. A month by the minute is 30 pages of a day:
 * four megabytes a market, five with every other width, and nothing for a chart that nobody asks for.
 */

import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Stretch } from '#market/history.ts';
import { type LevelChart, MINUTES_KEPT_MS } from '#market/level-chart.ts';
import { candleItems } from './candle-writer.ts';

/** Candles on a page. Pages begin at the multiples of their length. */
const PAGE = 1440;

const BEGIN = Buffer.from('[');
const NOTHING = Buffer.from('[]');
const CLOSING = ']'.charCodeAt(0);

/** The pages of every chart. */
export class CandlePages {
  /** By the width of the candles, then by where a page begins. */
  readonly #pages = new WeakMap<LevelChart, Map<number, Map<number, Uint8Array>>>();

  /** The candles of a stretch as a JSON array. `chart` counts up to `nowMs`. Others have their turn between new pages. */
  async json(chart: LevelChart, { fromS, toS, bucketS }: Stretch, nowMs: number): Promise<Uint8Array> {
    const pageMs = PAGE * bucketS * 1000;
    const kept = this.#pagesOf(chart, bucketS);
    for (const atMs of kept.keys()) if (atMs < nowMs - MINUTES_KEPT_MS) kept.delete(atMs);
    const parts: Uint8Array[] = [BEGIN];
    for (let atMs = fromS * 1000; atMs < toS * 1000; ) {
      const pageEndMs = (Math.floor(atMs / pageMs) + 1) * pageMs;
      const endMs = Math.min(pageEndMs, toS * 1000);
      const render = () => candleItems(chart.buckets(atMs, endMs, bucketS * 1000), PAGE);
      const isOver = endMs - atMs === pageMs && endMs <= nowMs;
      if (isOver && !kept.has(atMs)) await othersFirst();
      parts.push(isOver ? keptIn(kept, atMs, render) : render());
      atMs = endMs;
    }
    return closed(Buffer.concat(parts));
  }

  #pagesOf(chart: LevelChart, bucketS: number): Map<number, Uint8Array> {
    const widths = keptIn(this.#pages, chart, () => new Map<number, Map<number, Uint8Array>>());
    return keptIn(widths, bucketS, () => new Map<number, Uint8Array>());
  }
}

/** What is kept under a key, made now when it is not there. */
function keptIn<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** The comma after the last candle becomes the bracket. */
function closed(items: Buffer): Uint8Array {
  if (items.length === BEGIN.length) return NOTHING;
  items[items.length - 1] = CLOSING;
  return items;
}
