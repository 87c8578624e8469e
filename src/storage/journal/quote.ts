/** The quote of a window, as history and as the newest of its market; and how the locks of a minute ended. */
import type { LocksUnit, PlainOutcome, QuoteUnit } from '#orders/journal-port.ts';
import { int, price } from '../values.ts';
import { first, run, type Steps } from './steps.ts';
import type { Context } from './units.ts';

/** `stale` when a quote with this number is there already and says something else. */
export function* quote(unit: QuoteUnit, { again }: Context): Steps<PlainOutcome> {
  const { model, quoteSeq, atMs, untilMs, state } = unit;
  if (again) {
    const earlier = yield* first('SELECT price FROM quotes WHERE model = ? AND quote_seq = ?', model, quoteSeq);
    if (earlier) return { result: int(earlier.price) === unit.price ? 'changed' : 'stale' };
  }
  yield run(
    'INSERT INTO quotes (model, quote_seq, price, at_ms, until_ms) VALUES (?, ?, ?, ?, ?)',
    model,
    quoteSeq,
    price(unit.price),
    atMs,
    untilMs,
  );
  const { changes } = yield run(
    'UPDATE quote_states SET quote_seq = ?, price = ?, state = ? WHERE model = ? AND quote_seq <= ?',
    quoteSeq,
    price(unit.price),
    state,
    model,
    quoteSeq,
  );
  if (changes === 0) yield* openQuotes(unit);
  return { result: 'changed' };
}

/** The counts are whole, so writing them again changes nothing. */
export function* locks({ model, minuteMs, started, missed }: LocksUnit): Steps<PlainOutcome> {
  const { changes } = yield run(
    'UPDATE lock_minutes SET started = ?, missed = ? WHERE model = ? AND minute_ms = ?',
    started,
    missed,
    model,
    minuteMs,
  );
  if (changes === 0) {
    yield run(
      'INSERT INTO lock_minutes (model, minute_ms, started, missed) VALUES (?, ?, ?, ?)',
      model,
      minuteMs,
      started,
      missed,
    );
  }
  return { result: 'changed' };
}

function* openQuotes({ model, quoteSeq, price: latched, state }: QuoteUnit): Steps<void> {
  const known = yield* first('SELECT quote_seq FROM quote_states WHERE model = ?', model);
  if (known) return;
  yield run(
    'INSERT INTO quote_states (model, quote_seq, price, state) VALUES (?, ?, ?, ?)',
    model,
    quoteSeq,
    price(latched),
    state,
  );
}
