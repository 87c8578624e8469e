import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, seededRandom } from '#base/random.ts';
import { chanceWithin, type Queueing, startChances, waitFor } from './start-chance.ts';

const queueing = (parts: Partial<Queueing>): Queueing => {
  const outbid = parts.outbid ?? 0;
  return { ahead: 0, free: 0, served: 1, outbid, outbidUsually: outbid, burstiness: 1, givingUp: 0, ...parts };
};

/** One walk, order by order: whether it reaches the front in time. Arrivals come one by one and do not change. */
function starts({ ahead, free, served, outbid, givingUp }: Queueing, withinS: number, random: Random): boolean {
  let places = ahead + 1 - free;
  for (let atS = 0; places > 0; ) {
    const leaving = served + givingUp * (places - 1);
    atS -= Math.log(1 - random.next()) / (outbid + leaving);
    if (atS > withinS) return false;
    places += random.next() * (outbid + leaving) < outbid ? 1 : -1;
  }
  return true;
}

test('the chance is that of walks played order by order', () => {
  const random = seededRandom(1);
  const markets = [
    queueing({ served: 3.2, outbid: 1 }),
    queueing({ ahead: 20, served: 3.2, outbid: 3.2, givingUp: 0.01 }),
    queueing({ ahead: 100, free: 3, served: 3.2, outbid: 2.5, givingUp: 0.008 }),
    queueing({ ahead: 300, served: 25, outbid: 22, givingUp: 0.008 }),
  ];
  for (const market of markets) {
    const curve = startChances(market, 600);
    for (const withinS of [10, 60, 300]) {
      const plays = Array.from({ length: 2000 }, () => starts(market, withinS, random));
      const share = plays.filter(Boolean).length / plays.length;
      const chance = chanceWithin(curve, withinS);
      assert.ok(
        Math.abs(chance - share) < 0.05,
        `${JSON.stringify(market)} in ${withinS} s: ${chance}, played ${share}`,
      );
    }
  }
});

test('the chance never falls with time, and never rises with what is ahead', () => {
  let before: readonly number[] = [];
  for (const ahead of [0, 1, 5, 20, 100, 1000, 100_000]) {
    const curve = startChances(queueing({ ahead, served: 2, outbid: 1.9, givingUp: 0.001 }), 3600);
    const chances = curve.map(({ chance }) => chance);
    for (const [at, chance] of chances.entries()) {
      assert.ok(chance >= (chances[at - 1] ?? 0) - 1e-9 && chance <= 1 + 1e-9, `${ahead} ahead at ${at}: ${chance}`);
    }
    const now = [1, 10, 60, 600].map((withinS) => chanceWithin(curve, withinS));
    for (const [at, chance] of now.entries()) assert.ok(chance <= (before[at] ?? 1) + 0.02);
    before = now;
  }
});

test('the chance does not fall where it is usually busier than of late, either', () => {
  for (const [outbid, outbidUsually] of [
    [0.5, 5],
    [6, 1],
    [3, 3.3],
  ] as const) {
    const curve = startChances(queueing({ ahead: 20, served: 3.2, outbid, outbidUsually }), 3600);
    for (const [at, { chance }] of curve.entries()) assert.ok(chance >= (curve[at - 1]?.chance ?? 0) - 1e-12);
  }
  const calm = startChances(queueing({ ahead: 20, served: 3.2, outbid: 0.5, outbidUsually: 5 }), 3600);
  assert.ok(chanceWithin(calm, 60) > 0.95 && chanceWithin(calm, 600) > 0.99, `${chanceWithin(calm, 60)}`);
});

test('an order that is next starts when one ends, and its wait is that of one run', () => {
  const curve = startChances(queueing({ served: 0.5 }), 60);
  assert.ok(Math.abs(chanceWithin(curve, 2) - (1 - Math.exp(-1))) < 0.03);
  const median = waitFor(curve, 0.5) ?? 0;
  assert.ok(Math.abs(median - 2 * Math.LN2) < 0.1, `half within ${median} s`);
});

test('bursts make a long wait less sure, and a short one less hopeless', () => {
  const market = { ahead: 50, served: 3, outbid: 2 };
  const [even, bursty] = [1, 20].map((burstiness) => startChances(queueing({ ...market, burstiness }), 600));
  assert.ok(even && bursty);
  assert.ok(chanceWithin(bursty, 20) > chanceWithin(even, 20));
  assert.ok(chanceWithin(bursty, 100) < chanceWithin(even, 100));
});

test('a rush passes: what is usual counts in the long run', () => {
  const rush = startChances(queueing({ ahead: 30, served: 3, outbid: 6, outbidUsually: 1 }), 3600);
  const lasting = startChances(queueing({ ahead: 30, served: 3, outbid: 6, outbidUsually: 6 }), 3600);
  assert.ok(chanceWithin(rush, 10) < 0.01);
  assert.ok(chanceWithin(rush, 3000) > 0.9);
  assert.ok(chanceWithin(lasting, 3000) < 0.01);
});

test('a wait that is beyond the curve is not known', () => {
  assert.equal(waitFor(startChances(queueing({ ahead: 1000, served: 1, outbid: 1 }), 60), 0.5), null);
  assert.equal(waitFor([], 0.5), null);
  assert.equal(chanceWithin([], 10), 0);
});

test('a curve that ends early is the beginning of the whole one', () => {
  const market = queueing({ ahead: 40, served: 3, outbid: 2 });
  const [early, whole] = [startChances(market, 3600, 300), startChances(market, 3600)];
  assert.ok(early.length < whole.length && (early.at(-1)?.withinS ?? 0) >= 300);
  assert.deepEqual(early, whole.slice(0, early.length));
});
