/**
 * The level history of one market: a month by the minute, a day by the quarter of a minute, an hour by the second, each
 * just fine enough for the buckets served from it. It is fed every change of level as it happens; a level stands until
 * the next change, also while the market is degraded. Time before this process is added with `prepend`.
 * docs/decisions/0012.
 */
import type { PriceNano } from '#base/money.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { CANDLES_PER_STRETCH, LevelCandles, type LevelSpan, meanOf } from './level-candles.ts';

/** The candles that are stored: their widths, and how long each is kept. */
export const keptCandles = {
  seconds: { widthMs: 1000, keptMs: 3_700_000 },
  quarters: { widthMs: 15_000, keptMs: DAY_MS + HOUR_MS },
  minutes: { widthMs: MINUTE_MS, keptMs: 31 * DAY_MS },
} as const;

/** Up to sixty candles of one market and one width, starting at `fromMs`; `packed` defines the bytes. */
export interface LevelBlock {
  readonly model: string;
  readonly widthMs: number;
  readonly fromMs: number;
  readonly candles: Uint8Array;
}

/** The levels of one market over the last month. */
export class LevelChart {
  readonly #seconds = candlesOf(keptCandles.seconds);
  readonly #quarters = candlesOf(keptCandles.quarters);
  readonly #minutes = candlesOf(keptCandles.minutes, HOUR_MS);
  readonly #all = [this.#minutes, this.#quarters, this.#seconds];
  #level: PriceNano = 0;
  /** Null until the first change; nothing is known before it. */
  #countedToMs: number | null = null;

  /** The level changed. A step back in time counts as no time. */
  move(level: PriceNano, atMs: number): void {
    this.count(atMs);
    this.#level = level;
    this.#countedToMs = Math.max(atMs, this.#countedToMs ?? atMs);
  }

  /** Records that the level stood until now. */
  count(nowMs: number): void {
    const fromMs = this.#countedToMs;
    if (fromMs === null || nowMs <= fromMs) return;
    this.add(this.#level, fromMs, nowMs);
    this.#countedToMs = nowMs;
  }

  /** Records that a level stood from `fromMs` to before `toMs`, after everything recorded here. */
  add(level: PriceNano, fromMs: number, toMs: number): void {
    for (const candles of this.#all) candles.add(level, fromMs, toMs);
  }

  /** Adds a block that this gateway stored, after everything recorded here. A block of an unknown width is ignored. */
  append(block: LevelBlock): void {
    const first = block.fromMs / block.widthMs;
    const candles = this.#ofWidth(block.widthMs);
    unpack(block.candles, (place, span) => candles?.append(first + place, span));
  }

  /** Adds another process's block before everything recorded here. If blocks share a candle, add the newest first. */
  prepend(block: LevelBlock): void {
    const first = block.fromMs / block.widthMs;
    const candles = this.#ofWidth(block.widthMs);
    unpack(block.candles, (place, span) => candles?.prepend(first + place, span));
    candles?.settle(first);
  }

  /** Adds the last day of a chart built from single changes, before everything recorded here. */
  prependChanges(older: LevelChart): void {
    this.#seconds.prependAll(older.#seconds);
    this.#quarters.prependAll(older.#quarters);
  }

  /**
   * The blocks to store for the time from `fromMs` to before `toMs`: whole blocks that overlap it, without prepended
   * data and without candles from `toMs` on. The caller also stores `toMs` as the end of what it recorded. A later candle
   * would be counted twice when the gap after a killed process is filled in.
   */
  *blocks(model: string, fromMs: number, toMs: number): Generator<LevelBlock> {
    for (const { widthMs, keptMs } of Object.values(keptCandles)) {
      const beginMs = blockBegin(widthMs, Math.max(fromMs, toMs - keptMs));
      for (let atMs = beginMs; atMs < toMs; atMs += widthMs * CANDLES_PER_STRETCH) {
        const candles: PlacedSpan[] = [];
        const first = atMs / widthMs;
        const put = (candle: number, span: LevelSpan) => void candles.push([candle - first, span]);
        const end = Math.min(first + CANDLES_PER_STRETCH, Math.ceil(toMs / widthMs));
        this.#ofWidth(widthMs)?.eachAppended(first, end, put);
        if (candles.length > 0) yield { model, widthMs, fromMs: atMs, candles: packed(candles) };
      }
    }
  }

  /**
   * Visits each bucket from `fromMs` to before `toMs`, oldest first. Both are multiples of `bucketMs`, a whole number
   * of seconds. Empty buckets are left out. All visits get the same object, which the next one overwrites.
   */
  each(fromMs: number, toMs: number, bucketMs: number, visit: (atMs: number, span: LevelSpan) => void): void {
    const candles = this.#all.find(({ widthMs }) => bucketMs % widthMs === 0);
    candles?.each(fromMs, toMs, bucketMs, visit);
  }

  #ofWidth(widthMs: number): LevelCandles | undefined {
    return this.#all.find((candles) => candles.widthMs === widthMs);
  }
}

function candlesOf({ widthMs, keptMs }: { widthMs: number; keptMs: number }, moreMs = 0): LevelCandles {
  return new LevelCandles(widthMs, (keptMs + moreMs) / widthMs);
}

/** The start of the block that contains this moment. */
export function blockBegin(widthMs: number, atMs: number): number {
  return atMs - (atMs % (widthMs * CANDLES_PER_STRETCH));
}

/** Two bytes each for index and covered milliseconds; eight each for open, high, low, close and mean. */
const RECORD_BYTES = 44;
const UPPER = 2 ** 32;

/** A candle with its index in its block, from 0. */
type PlacedSpan = readonly [place: number, span: LevelSpan];

/** The bytes of a block: integers are big-endian and of fixed size. Candles without data are left out. A span covers at most 65,535 ms. */
export function packed(candles: readonly PlacedSpan[]): Uint8Array {
  const bytes = new Uint8Array(candles.length * RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [place, span] of candles) {
    view.setUint16(at, place);
    view.setUint16(at + 2, span.coveredMs);
    putWhole(view, at + 4, span.open);
    putWhole(view, at + 12, span.high);
    putWhole(view, at + 20, span.low);
    putWhole(view, at + 28, span.close);
    putWhole(view, at + 36, meanOf(span));
    at += RECORD_BYTES;
  }
  return bytes;
}

/**
 * Visits each candle of a packed block. Only the mean of the level over time was stored, in whole nano-dollars. All
 * visits get the same object, which the next one overwrites.
 */
export function unpack(bytes: Uint8Array, visit: (place: number, span: LevelSpan) => void): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const span = { open: 0, high: 0, low: 0, close: 0, area: 0, coveredMs: 0 };
  for (let at = 0; at < bytes.byteLength; at += RECORD_BYTES) {
    span.coveredMs = view.getUint16(at + 2);
    span.open = wholeAt(view, at + 4);
    span.high = wholeAt(view, at + 12);
    span.low = wholeAt(view, at + 20);
    span.close = wholeAt(view, at + 28);
    span.area = wholeAt(view, at + 36) * span.coveredMs;
    visit(view.getUint16(at), span);
  }
}

function putWhole(view: DataView, at: number, value: number): void {
  view.setUint32(at, Math.floor(value / UPPER));
  view.setUint32(at + 4, value % UPPER);
}

function wholeAt(view: DataView, at: number): number {
  return view.getUint32(at) * UPPER + view.getUint32(at + 4);
}
