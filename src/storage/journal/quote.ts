/** The quote of a window: its history and the newest row of its market; and the lock outcomes of a minute. */
import type { PlainOutcome } from '#base/journal.ts';
import type { LocksUnit, QuoteUnit } from '#market/units.ts';
import { int, price } from '../database/values.ts';
import type { Context } from './context.ts';
import { first, run, type Steps } from './steps.ts';

/** `stale` when there is another quote with this number already. */
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

/** The counts are absolute, not increments, so the unit is idempotent. */
export function* locks({ model, minuteMs, ...counts }: LocksUnit): Steps<PlainOutcome> {
  const { started, missed, scarceStarted, scarceMissed } = counts;
  const { changes } = yield run(
    `UPDATE lock_minutes SET started = ?, missed = ?, scarce_started = ?, scarce_missed = ?
     WHERE model = ? AND minute_ms = ?`,
    ...[started, missed, scarceStarted, scarceMissed],
    ...[model, minuteMs],
  );
  if (changes === 0) {
    yield run(
      `INSERT INTO lock_minutes (model, minute_ms, started, missed, scarce_started, scarce_missed)
       VALUES (?, ?, ?, ?, ?, ?)`,
      ...[model, minuteMs],
      ...[started, missed, scarceStarted, scarceMissed],
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
