/** The pictures of docs/pictures/ by path, drawn from what is said beside them; README.md and docs/ show them. */
import { bookPicture } from './book.ts';
import { orderPicture } from './order.ts';
import { receiptPicture } from './receipt.ts';
import { takeoverPicture } from './takeover.ts';

/** All of them. */
export function pictureFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['docs/pictures/book.svg', bookPicture()],
    ['docs/pictures/order.svg', orderPicture()],
    ['docs/pictures/receipt.svg', receiptPicture()],
    ['docs/pictures/takeover.svg', takeoverPicture()],
  ]);
}
