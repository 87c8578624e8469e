/** A book with a level: which orders run, which wait, and what those that run pay. */
import { bar, line, svg, WIDTH, words } from './svg.ts';

const SLOTS = 5;
/** Best first, in USD per 1M input tokens at the reference mix. */
const BIDS = [1.6, 1.2, 0.9, 0.7, 0.55, 0.45, 0.3, 0.2];
/** The first bid beyond the slots. */
const LEVEL = BIDS[SLOTS] ?? 0;
const LEFT = 110;
const RIGHT = 190;
const TOP = 66;
const ROW = 26;

/** docs/pictures/book.svg. */
export function bookPicture(): string {
  const width = (usd: number) => Math.round((usd / 1.6) * (WIDTH - LEFT - RIGHT));
  const y = (at: number) => TOP + at * ROW + (at >= SLOTS ? 14 : 0);
  const bottom = y(BIDS.length);
  const level = LEFT + width(LEVEL);
  return svg(bottom + 44, 'A book of eight orders and five slots, with the level at the first bid that has no slot', [
    words(LEFT, 28, 'Five slots, eight orders: the best bids run.', { bold: true }),
    words(LEFT, 48, 'Each pays the level, or its bid if that is lower.', { tone: 'faint', size: 12.5 }),
    ...BIDS.flatMap((bid, at) => [
      words(LEFT - 12, y(at) + 14, `bid $${bid.toFixed(2)}`, { anchor: 'end', size: 12.5 }),
      bar(LEFT, y(at), [width(bid), 18], 'soft'),
      ...(at < SLOTS ? [bar(LEFT, y(at), [width(LEVEL), 18], 'accent')] : []),
      words(WIDTH - RIGHT + 14, y(at) + 14, at < SLOTS ? `runs, pays $${LEVEL.toFixed(2)}` : 'waits', {
        size: 12.5,
        tone: at < SLOTS ? 'accent' : 'faint',
      }),
    ]),
    line([level, TOP - 8], [level, bottom + 4], 'fall', true),
    words(level + 8, bottom + 22, `level $${LEVEL.toFixed(2)}: moves toward the first bid that has no slot`, {
      tone: 'fall',
      size: 12.5,
    }),
  ]);
}
