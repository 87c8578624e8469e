/** The quote of a window: its history and the newest row of its market; and the lock outcomes of a minute. */
import type { PlainOutcome } from '#base/journal.ts';
import { quoteHash } from '#ledger/price-chain.ts';
import type { LocksUnit, QuoteUnit } from '#market/units.ts';
import { int, price, textOrNull } from '../database/values.ts';
import type { UnitKind } from './context.ts';
import { upsert } from './operations.ts';

const COUNTS = ['started', 'missed', 'scarce_started', 'scarce_missed'];
const REPLACE_MINUTE = upsert('replace', 'lock_minutes', ['model', 'minute_ms'], COUNTS);

/** `stale` when there is another quote with this number already, or its market has another owner. */
export const quote: UnitKind<QuoteUnit, PlainOutcome> = {
  want(unit, { picture, again }) {
    const { model, quoteSeq } = unit;
    picture.epochs.want(unit);
    picture.quoteStates.want(model);
    picture.wantBefore(picture.quotes, model, quoteSeq);
    if (again) picture.quotes.want(model, quoteSeq);
  },

  apply(unit, { picture, again }) {
    const { model, quoteSeq, atMs, untilMs, state } = unit;
    const earlier = again ? picture.quotes.find(model, quoteSeq) : null;
    if (earlier) return { result: int(earlier.price) === unit.price ? 'changed' : 'stale' };
    if (picture.epochs.areStale(unit)) return { result: 'stale' };
    const quoted = { quote_seq: quoteSeq, price: price.bind(unit.price) };
    const row = { number: quoteSeq, price: unit.price, atMs, untilMs };
    const previous = textOrNull(picture.before(picture.quotes, model, quoteSeq)?.hash);
    picture.quotes.add({ model, ...quoted, at_ms: atMs, until_ms: untilMs, hash: quoteHash(model, row, previous) });
    const newest = picture.quoteStates.find(model);
    if (!newest) picture.quoteStates.add({ model, ...quoted, state });
    else if (int(newest.quote_seq) <= quoteSeq) picture.quoteStates.change({ ...quoted, state }, model);
    return { result: 'changed' };
  },
};

/**
 * The counts are absolute, not increments, so the unit is idempotent. `stale` when its market has another owner, also
 * for repeated counts that were written before.
 */
export const locks: UnitKind<LocksUnit, PlainOutcome> = {
  want(unit, { picture }) {
    picture.epochs.want(unit);
  },

  apply(unit, { picture }) {
    if (picture.epochs.areStale(unit)) return { result: 'stale' };
    const { model, minuteMs, started, missed, scarceStarted, scarceMissed } = unit;
    picture.write(REPLACE_MINUTE, [model, minuteMs, started, missed, scarceStarted, scarceMissed]);
    return { result: 'changed' };
  },
};
