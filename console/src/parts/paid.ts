/** Why an order was charged its price: the lower of its bid and of the level at the moment when it started. */
import { priceText, savedShare } from '../format.ts';

/** Prices of one order, in USD per 1M input tokens at the reference mix. */
interface PaidPrice {
  readonly bid: number;
  readonly price: number;
  /** When the order started; null where that is no longer known. */
  readonly level: number | null;
}

/** A sentence or two. Only what was the level of the market is called so. */
export function paidText({ bid, price, level }: PaidPrice): string {
  const offer = `You bid ${priceText(bid)}`;
  if (price < bid) {
    const saved = savedShare(price, bid);
    const less = saved === '' ? '' : ` and saved ${saved}`;
    return `${offer}, the level was ${priceText(price)} when it started: you paid the level${less}.`;
  }
  if (level === null || level === bid)
    return `${offer}. The level was not lower when it started, and a slot was free: you paid your bid.`;
  return `${offer}, less than the level, which was ${priceText(level)} when it started. A slot was free: you paid your bid.`;
}
