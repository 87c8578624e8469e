/**
 * Candles as JSON text, straight into bytes. Printing the doubles of a month by the minute, a quarter of a million of
 * them, would hold the event loop for longer than everything else in such an answer; prices are whole nano-dollars,
 * whose decimal point is set without dividing. Plain loops, because a call into native code costs more than a number.
 */
import type { PriceNano } from '#base/money.ts';
import { type LevelSpan, meanOf } from '#market/level-slots.ts';

const ZERO = 48;
const POINT = 46;
const TEN9 = 1e9;
/** Up to here a price is split into dollars and nano-dollars without rounding; levels stay far below. */
const EXACT_MAX = Number.MAX_SAFE_INTEGER;
/** More than any one candle takes: six numbers of at most 22 characters, and their names. */
const CANDLE_BYTES_MAX = 200;

const names = {
  t: ascii('{"t":'),
  open: ascii(',"open":'),
  high: ascii(',"high":'),
  low: ascii(',"low":'),
  close: ascii(',"close":'),
  mean: ascii(',"mean":'),
  end: ascii('},'),
};

/** `{t, open, high, low, close, mean},` for each bucket, the comma after the last one too. Prices in USD. Spec 2.8. */
export function candleItems(buckets: Iterable<readonly [atMs: number, span: LevelSpan]>, countMax: number): Uint8Array {
  const out = new DigitWriter(countMax * CANDLE_BYTES_MAX);
  for (const [atMs, span] of buckets) {
    out.put(names.t);
    out.whole(atMs / 1000);
    out.put(names.open);
    out.price(span.open);
    out.put(names.high);
    out.price(span.high);
    out.put(names.low);
    out.price(span.low);
    out.put(names.close);
    out.price(span.close);
    out.put(names.mean);
    out.price(meanOf(span));
    out.put(names.end);
  }
  return out.written();
}

/** Writes words and numbers one after the other. */
class DigitWriter {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytesMax: number) {
    this.#bytes = new Uint8Array(bytesMax);
  }

  put(word: Uint8Array): void {
    let at = this.#at;
    for (let index = 0; index < word.length; index++) this.#bytes[at++] = word[index] ?? 0;
    this.#at = at;
  }

  /** A whole number from 0 that a double holds. */
  whole(value: number): void {
    if (value < TEN9) {
      this.#digits(value | 0, digitsOf(value));
      return;
    }
    const upper = Math.floor(value / TEN9);
    this.whole(upper);
    this.#digits((value - upper * TEN9) | 0, 9);
  }

  /** Dollars with up to nine decimals and no zeros at the end. */
  price(price: PriceNano): void {
    if (price > EXACT_MAX) {
      this.put(ascii(String(price / TEN9)));
      return;
    }
    const dollars = Math.floor(price / TEN9);
    this.whole(dollars);
    let decimals = (price - dollars * TEN9) | 0;
    if (decimals === 0) return;
    let count = 9;
    for (; decimals % 10 === 0; count--) decimals = (decimals / 10) | 0;
    this.#bytes[this.#at++] = POINT;
    this.#digits(decimals, count);
  }

  /** What was written, in memory of its own size. */
  written(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  /** The last `count` digits, zeros in front included. */
  #digits(value: number, count: number): void {
    let rest = value;
    for (let at = this.#at + count - 1; at >= this.#at; at--) {
      const tenth = (rest / 10) | 0;
      this.#bytes[at] = ZERO + (rest - tenth * 10);
      rest = tenth;
    }
    this.#at += count;
  }
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let bound = 10; bound <= value; bound *= 10) digits++;
  return digits;
}

function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
