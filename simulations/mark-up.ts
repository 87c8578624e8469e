/**
 * The price that the quote is compared with: the level times a factor, latched for the same windows. The factor is
 * either given, as if the day were known beforehand, or found while trading by the controller that corrects the quote.
 */
import { Calibration } from '#market/price/quote.ts';
import { TARGET_START_RATE } from './target.ts';

/** So few starts in a window that the controller has its full gain. */
const FEW_STARTS = 4;

/** A price for locks made from the level only. Report to it how locks end, and when a window does. */
export class MarkUp {
  readonly #factor: number | null;
  readonly #calibration = new Calibration(TARGET_START_RATE);
  /** What a lock may bid in this window, whole nano-dollars. */
  price: number;

  /** Null: it finds the factor by itself. `price` holds until the first window ends. */
  constructor(factor: number | null, price: number) {
    this.#factor = factor;
    this.price = price;
  }

  /** A lock that could afford the price started, or missed its window. */
  resolve(missed: boolean): void {
    this.#calibration.resolve(missed);
  }

  /** The next window begins. */
  turn(level: number): void {
    this.#calibration.endWindow(false, FEW_STARTS);
    this.price = Math.round(level * (this.#factor ?? Math.exp(this.#calibration.correction)));
  }
}
