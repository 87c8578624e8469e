/**
 * Writes JSON as bytes, for responses of a quarter of a million numbers: printing doubles would block the event loop
 * for longer than the rest of such a response. Prices are whole nano-dollars, whose decimal point is set without a
 * division, and digits and names are written four bytes at a time. Plain loops, because a call into native code costs
 * more than writing a number.
 */
import type { PriceNano } from '#base/money.ts';

const ZERO = 48;
const POINT = 46;
const TEN4 = 1e4;
const TEN5 = 1e5;
const TEN9 = 1e9;
/** Prices up to this are split into dollars and nano-dollars without rounding; levels stay far below. */
const EXACT_MAX = Number.MAX_SAFE_INTEGER;

/** The four digits of 0 to 9999, with leading zeros, as the number that has these bytes in memory. */
const FOUR_DIGITS = Uint32Array.from({ length: TEN4 }, (_, value) => fourBytes(String(value).padStart(4, '0'), 0));

/** A text of up to twelve bytes that is written often. */
export interface Word {
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly length: number;
}

/** A word of up to twelve ASCII characters. */
export function word(text: string): Word {
  return { first: fourBytes(text, 0), second: fourBytes(text, 4), third: fourBytes(text, 8), length: text.length };
}

/** Words and numbers, one after the other. */
export class DigitWriter {
  #bytes: Buffer<ArrayBuffer>;
  #view: DataView<ArrayBuffer>;
  #at = 0;

  /** Writes into `memory`, and into a larger buffer of its own when that is full. */
  constructor(memory: Buffer<ArrayBuffer>) {
    this.#bytes = memory;
    this.#view = viewOf(memory);
  }

  /** Makes room for this many bytes; to be called before `put`, `whole` and `price`. A word counts as twelve bytes. */
  reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * (this.#bytes.length + bytes));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
    this.#view = viewOf(grown);
  }

  /** Any text; makes room itself. */
  text(text: string): void {
    this.reserve(Buffer.byteLength(text));
    this.#at += this.#bytes.write(text, this.#at);
  }

  put({ first, second, third, length }: Word): void {
    const at = this.#at;
    this.#view.setUint32(at, first, true);
    this.#view.setUint32(at + 4, second, true);
    this.#view.setUint32(at + 8, third, true);
    this.#at = at + length;
  }

  /** A whole number from 0 that a double holds exactly. */
  whole(value: number): void {
    if (value < 10) {
      this.#bytes[this.#at++] = ZERO + value;
      return;
    }
    this.#longer(value);
  }

  /** Dollars with up to nine decimals, without trailing zeros. */
  price(price: PriceNano): void {
    if (price > EXACT_MAX) {
      this.text(String(price / TEN9));
      return;
    }
    const dollars = Math.floor(price / TEN9);
    this.whole(dollars);
    const decimals = (price - dollars * TEN9) | 0;
    if (decimals !== 0) this.#decimals(decimals);
  }

  /** What was written. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  #longer(value: number): void {
    if (value < TEN4) {
      this.#upToFour(value);
      return;
    }
    const upper = Math.floor(value / TEN4);
    this.whole(upper);
    this.#four((value - upper * TEN4) | 0);
  }

  #upToFour(value: number): void {
    let rest = value;
    this.#at += value < 100 ? 2 : value < 1000 ? 3 : 4;
    for (let at = this.#at - 1; rest > 0; at--) {
      const tenth = (rest / 10) | 0;
      this.#bytes[at] = ZERO + (rest - tenth * 10);
      rest = tenth;
    }
  }

  /** Writes nine decimals, then drops the trailing zeros. */
  #decimals(decimals: number): void {
    const upper = (decimals / TEN5) | 0;
    const rest = decimals - upper * TEN5;
    const middle = (rest / 10) | 0;
    this.#bytes[this.#at++] = POINT;
    this.#four(upper);
    this.#four(middle);
    this.#bytes[this.#at++] = ZERO + (rest - middle * 10);
    while (this.#bytes[this.#at - 1] === ZERO) this.#at--;
  }

  #four(value: number): void {
    this.#view.setUint32(this.#at, FOUR_DIGITS[value] ?? 0, true);
    this.#at += 4;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer<ArrayBuffer>): DataView<ArrayBuffer> {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Four characters from an index on as one little-endian number; zeros after the end, which are overwritten. */
function fourBytes(text: string, from: number): number {
  const code = (place: number) => text.charCodeAt(from + place) || 0;
  return code(0) | (code(1) << 8) | (code(2) << 16) | (code(3) << 24);
}
