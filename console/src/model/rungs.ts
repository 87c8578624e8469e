/** The rows of a ladder: the steps of the depth, with the level and the reader's own bids where they stand. */
import type { DepthStep } from '#generated/types.ts';

/** Orders of the reader that wait at the same bid. */
export interface OwnBid {
  /** USD per 1M input tokens at the reference mix. */
  readonly price: number;
  /** At least one. */
  readonly ids: readonly string[];
  /** A locked price stays, and viewers change nothing. */
  readonly isFixed: boolean;
}

/** A row. */
export interface Rung {
  readonly kind: 'step' | 'level' | 'own';
  /** The lowest bid in it, USD per 1M input tokens at the reference mix. */
  readonly price: number;
  /** Null where that is not shown: at the level, and where only own bids are known. */
  readonly orders: number | null;
  /** The reader's own orders in it. */
  readonly own: number;
  /** Orders of the steps above. */
  readonly ahead: number;
}

/** The rows, the highest bids first. Own bids below the last step, or where there is none, have rows of their own. */
export function rungsOf(
  steps: readonly DepthStep[],
  level: number | null,
  bids: readonly Pick<OwnBid, 'price' | 'ids'>[],
): readonly Rung[] {
  const lowest = steps.at(-1)?.price ?? Number.POSITIVE_INFINITY;
  let ahead = 0;
  const rungs = steps.map(({ price, orders }, at): Rung => {
    const below = steps[at - 1]?.price ?? Number.POSITIVE_INFINITY;
    const own = bids.filter((bid) => bid.price >= price && bid.price < below);
    const rung = { kind: 'step', price, orders, own: countOf(own), ahead } as const;
    ahead += orders;
    return rung;
  });
  const alone = bids
    .filter(({ price }) => price < lowest)
    .map((bid): Rung => ({ kind: 'own', price: bid.price, orders: null, own: bid.ids.length, ahead }));
  const marks: Rung[] = level === null ? [] : [{ kind: 'level', price: level, orders: null, own: 0, ahead: 0 }];
  return [...rungs, ...alone, ...marks].toSorted((one, other) => other.price - one.price);
}

function countOf(bids: readonly Pick<OwnBid, 'ids'>[]): number {
  return bids.reduce((sum, { ids }) => sum + ids.length, 0);
}
