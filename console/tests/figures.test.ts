import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TokenStatistics, UptimeBucket } from '#generated/types.ts';
import { chancesOf, costAtLimit, costOf, outlookOf } from '../src/calculator/estimate.ts';
import {
  change,
  count,
  csv,
  duration,
  moneyText,
  moneyWholeText,
  priceText,
  priceTexts,
  priceWholeText,
  savedShare,
  share,
} from '../src/format.ts';
import { soldIn } from '../src/model/sold.ts';
import { slotsOf } from '../src/model/uptime-slots.ts';
import { daysOf, incidentsOf } from '../src/status/incidents.ts';

describe('a figure', () => {
  it('of a price has four digits and no exponent, and all of them where the reader points', () => {
    assert.equal(priceText(0.123456), '$0.1235');
    assert.equal(priceText(0.000000123456), '$0.0000001235');
    assert.equal(priceText(1_234_567), '$1,235,000');
    assert.equal(priceWholeText(1_234_567.890123), '$1,234,567.890123');
    assert.deepEqual([priceText(-0.5), priceWholeText(-0.000000001), priceText(0)], ['-$0.5', '-$0.000000001', '$0']);
  });

  it('of a price is zero where binary fractions leave something near zero', () => {
    assert.equal(priceText(0.3 - 0.1 - 0.2), '$0');
    assert.equal(priceText(5.551115123125783e-16), '$0');
  });

  it('of an amount has at least cents, is never rounded up, and has all its digits on bills', () => {
    assert.deepEqual([2344.971, 1845.67, 9.999, 10, 0].map(moneyText), [
      '$2,344.97',
      '$1,845.67',
      '$9.99',
      '$10.00',
      '$0.00',
    ]);
    assert.deepEqual([0.5, 0.129999, 0.00000685].map(moneyText), ['$0.50', '$0.1299', '$0.00000685']);
    assert.deepEqual([moneyText(-2344.979), moneyText(1e-9), moneyText(0.29)], ['-$2,344.97', '$0.000000001', '$0.29']);
    assert.deepEqual([2344.971, 10, 0.000006852].map(moneyWholeText), ['$2,344.971', '$10.00', '$0.000006852']);
  });

  it('of what was saved has at most two decimals and is never rounded up', () => {
    assert.deepEqual(
      [savedShare(5, 6), savedShare(0.164, 0.375), savedShare(0.71, 1), savedShare(0.01, 5)],
      ['16.66%', '56.26%', '29%', '99.8%'],
    );
    assert.deepEqual([savedShare(1, 1), savedShare(2, 1), savedShare(0, 0), savedShare(0.99999, 1)], ['', '', '', '']);
  });

  it('on an axis has as many digits as make neighbors differ', () => {
    assert.deepEqual(priceTexts([0.01, 0.0102, 0.0104]), ['$0.01', '$0.0102', '$0.0104']);
    assert.deepEqual(priceTexts([0.01, 0.010000200000000001, 0.0100004]), ['$0.01', '$0.0100002', '$0.0100004']);
  });

  it('of a count has all its digits below ten thousand', () => {
    assert.deepEqual([1407, 9999, 10_000, 1_234_567].map(count), ['1,407', '9,999', '10K', '1.235M']);
  });

  it('is never rounded to all or nothing', () => {
    assert.equal(share(100), '100%');
    assert.equal(share(99.999), '99.99%');
    assert.equal(share(0), '0%');
    assert.deepEqual([change(-0.04), change(0.04), change(-1), change(1)], ['0.0%', '0.0%', '-1.0%', '+1.0%']);
  });

  it('of a time has the unit that fits', () => {
    assert.deepEqual([15, 1500, 600_000, 7_200_000].map(duration), ['15 ms', '1.5 s', '10 min', '2 h']);
  });
});

describe('a table as CSV', () => {
  it('quotes what needs it, and leaves unknown figures empty', () => {
    assert.equal(csv([['a,b', 'say "x"', null, 1.5, true]]), '"a,b","say ""x""",,1.5,true\r\n');
  });

  it('has figures without an exponent', () => {
    assert.equal(csv([[0, 1e-9, -1.23e-7, 0.5]]), '0,0.000000001,-0.000000123,0.5\r\n');
  });

  it('has no formulas, whatever a model is called', () => {
    assert.equal(csv([['=1+1', '+a', '-a', '@a', -1]]), "'=1+1,'+a,'-a,'@a,-1\r\n");
  });
});

describe('the calculator', () => {
  const minutes = (levels: readonly number[]) => levels.map((level, at) => ({ atMs: at * 60_000, level }));

  it('counts the time at or below the bid, and the mean of those levels', () => {
    assert.deepEqual(chancesOf(minutes([1, 2, 3, 4]), 2, 0), { below: 0.5, withinWait: 0.5, meanLevel: 1.5 });
  });

  it('counts a moment from which the bid is met within the wait', () => {
    // From the third minute on the level is met a minute later; from the last, nobody knows.
    assert.equal(chancesOf(minutes([4, 4, 4, 1, 4]), 1, 60_000).withinWait, 2 / 5);
    assert.equal(chancesOf(minutes([4, 4, 4, 1, 4]), 1, 180_000).withinWait, 4 / 5);
  });

  it('says nothing without levels, and has no mean where the bid was never met', () => {
    assert.deepEqual(chancesOf([], 1, 0), { below: null, withinWait: null, meanLevel: null });
    assert.equal(chancesOf(minutes([2]), 1, 0).meanLevel, null);
  });

  it('says of a bid below the level how often it was met from a level like that of now, and at which level', () => {
    const past = minutes([4, 4.2, 2, 4, 9, 9, 1, 4]);
    // From the first it is met after two minutes, from the second after one, from the fourth after three.
    assert.deepEqual(outlookOf(past, { now: 4, bid: 2, waitMs: 60_000 }), { chance: 1 / 3, level: 2, moments: 3 });
    assert.deepEqual(outlookOf(past, { now: 4, bid: 2, waitMs: 180_000 }), { chance: 1, level: 5 / 3, moments: 3 });
    assert.deepEqual(outlookOf(past, { now: 4, bid: 0.5, waitMs: 0 }), { chance: 0, level: null, moments: 4 });
    assert.equal(outlookOf(past, { now: 6, bid: 2, waitMs: 0 }), null);
    // A hair below the level, it was not met at once in the moments in which it was above the level.
    assert.deepEqual(outlookOf(past, { now: 4.1, bid: 4, waitMs: 0 }), { chance: 0, level: null, moments: 1 });
    assert.deepEqual(outlookOf(past, { now: 4, bid: 4, waitMs: 0 }), { chance: 1, level: 4, moments: 0 });
  });

  it('prices each kind of token', () => {
    const prices = { cached: 1, uncached: 10, output: 40 };
    assert.equal(costOf({ input: 1e6, cachedShare: 0.25, output: 5e5 }, prices), 0.25 + 7.5 + 20);
  });

  it('charges the level of the prices beside it, or a limit below that', () => {
    const row = { level: 2, usd_per_million: { cached: 1, uncached: 10, output: 40 } };
    const tokens = { input: 1e6, cachedShare: 0, output: 1e6 };
    assert.equal(costAtLimit(tokens, row, 3), 50);
    assert.equal(costAtLimit(tokens, row, 1), 25);
    assert.equal(costAtLimit(tokens, { ...row, level: 0 }, 1), 50);
  });
});

describe('the bars of tokens', () => {
  const period = { from: 0, to: 2700, bucket_seconds: 900 } as TokenStatistics;

  it('are zero where nothing was sold, and none where nothing was in the whole period', () => {
    const points = [{ t: 900, input_tokens: 2, output_tokens: 3 }];
    assert.deepEqual(soldIn({ ...period, series: [{ points }] } as unknown as TokenStatistics), [
      { t: 0, value: 0 },
      { t: 900, value: 5 },
      { t: 1800, value: 0 },
    ]);
    assert.deepEqual(soldIn({ ...period, series: [] }), []);
  });
});

describe('the bars of uptime', () => {
  it('are as many as the range has, also those in which nothing was measured', () => {
    const day = { total: 10, failures: 1 } as UptimeBucket;
    const uptime = { range: '7d', bucket_seconds: 86_400, buckets: [{ ...day, t: 3 * 86_400 }] };
    const slots = slotsOf(uptime, 9.5 * 86_400_000);
    assert.deepEqual(
      slots.map(({ t, bucket }) => [t / 86_400, bucket?.failures ?? null]),
      [[3, 1], ...[4, 5, 6, 7, 8, 9].map((t) => [t, null])],
    );
  });
});

describe('incidents', () => {
  const bucket = (t: number, failures: number) => ({ t, failures, total: 10 });

  it('are adjacent periods with failures, newest first', () => {
    const buckets = [bucket(0, 1), bucket(60, 2), bucket(120, 0), bucket(180, 3), bucket(300, 4)];
    assert.deepEqual(incidentsOf({ bucket_seconds: 60, buckets }), [
      { fromMs: 300_000, untilMs: 360_000, failures: 4, total: 10 },
      { fromMs: 180_000, untilMs: 240_000, failures: 3, total: 10 },
      { fromMs: 0, untilMs: 120_000, failures: 3, total: 20 },
    ]);
  });

  it('of whole days have a first and a last day, any other a moment', () => {
    const day = 86_400_000;
    assert.deepEqual(daysOf({ fromMs: day, untilMs: 2 * day }), [day, day]);
    assert.deepEqual(daysOf({ fromMs: day, untilMs: 4 * day }), [day, 3 * day]);
    assert.equal(daysOf({ fromMs: day, untilMs: 2 * day - 3_600_000 }), null);
  });
});
