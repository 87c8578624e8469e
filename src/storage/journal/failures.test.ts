/** The journal while its database does not commit: what is retried, refused, reported and given up. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { silentLog } from '#base/log.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, orderRow, startMs } from '#testing/order-fixtures.ts';
import type { Applied, JournalDriver } from './apply-units.ts';
import { Journal } from './journal.ts';
import type { JournalUnit } from './units.ts';

/** A database that replies when the test says so. */
class ScriptedDriver implements JournalDriver {
  readonly batches: { units: readonly JournalUnit[]; again: boolean }[] = [];
  closed = false;
  #answer: ((applied: Applied) => void) | null = null;

  apply(units: readonly JournalUnit[], again: boolean): Promise<Applied> {
    assert.equal(this.#answer, null, 'one batch at a time');
    this.batches.push({ units: [...units], again });
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  /** Ends the commit under way: its first `committed` units are in, and `failure` is why the others are not. */
  answer(committed: number, failure: string | null): void {
    const answer = this.#answer;
    assert.ok(answer, 'a batch is under way');
    this.#answer = null;
    answer({ results: Array.from({ length: committed }, () => ({ outcome: { result: 'queued' } })), failure });
  }

  get sizes(): number[] {
    return this.batches.map(({ units }) => units.length);
  }
}

function setUp(queueMax?: number) {
  const driver = new ScriptedDriver();
  const clock = new ManualClock(startMs);
  const options = { driver, clock, log: silentLog };
  const journal = new Journal(queueMax === undefined ? options : { ...options, queueMax });
  return { driver, clock, journal };
}

const order = () => acceptUnit(orderRow({ accountId: 'a' }));
const isUnavailable = (error: unknown) => error instanceof Fault && error.code === 'unavailable';
const rest: JournalUnit = { kind: 'reprice', orderId: 'o', bid: 1, restedSeq: 1 };

describe('journal', () => {
  test('units that arrive during a commit share the next one, in order', async () => {
    const { driver, clock, journal } = setUp();
    const units = [order(), order(), order(), order()] as const;
    const first = Promise.all([journal.write(units[0]), journal.write(units[1])]);
    await clock.advance(0);
    const second = Promise.all([journal.write(units[2]), journal.write(units[3])]);
    driver.answer(2, null);
    await first;
    await clock.advance(0);
    driver.answer(2, null);
    await second;
    assert.deepEqual(
      driver.batches.map(({ units }) => units),
      [units.slice(0, 2), units.slice(2)],
    );
    assert.equal(journal.pending, 0);
  });

  test('a long queue is committed in bounded transactions', async () => {
    const { driver, clock, journal } = setUp();
    const all = Promise.all(Array.from({ length: 600 }, () => journal.write(order())));
    for (const size of [256, 256, 88]) {
      await clock.advance(0);
      driver.answer(size, null);
    }
    await all;
    assert.deepEqual(driver.sizes, [256, 256, 88]);
  });

  test('long texts are committed in bounded transactions, in their order', async () => {
    const { driver, clock, journal } = setUp();
    const long = (length: number) =>
      acceptUnit(orderRow({ accountId: 'a', outlives: true }), { body: 'x'.repeat(length) });
    const units = [long(600_000), order(), long(600_000), long(2_000_000), order()];
    const all = Promise.all(units.map((unit) => journal.write(unit)));
    for (const size of [2, 1, 1, 1]) {
      await clock.advance(0);
      driver.answer(size, null);
    }
    await all;
    assert.deepEqual(driver.sizes, [2, 1, 1, 1]);
    assert.deepEqual(
      driver.batches.flatMap((batch) => batch.units),
      units,
    );
  });

  test('a transaction that did not commit is retried with backoff, as one that may have committed', async () => {
    const { driver, clock, journal } = setUp();
    const unit = order();
    const written = journal.write(unit);
    await clock.advance(0);
    for (const waitMs of [20, 40, 80, 160, 320, 640, 1000, 1000]) {
      driver.answer(0, 'disk full');
      await clock.advance(waitMs - 1);
      const tries = driver.batches.length;
      await clock.advance(1);
      assert.equal(driver.batches.length, tries + 1);
    }
    driver.answer(1, null);
    assert.deepEqual(await written, { result: 'queued' });
    assert.deepEqual(
      driver.batches.map(({ again }) => again),
      [false, ...Array(8).fill(true)],
    );
    assert.equal(clock.pending, 0);
  });

  test('only units that did not commit are retried', async () => {
    const { driver, clock, journal } = setUp();
    const units = [order(), order(), order()] as const;
    const written = units.map((unit) => journal.write(unit));
    await clock.advance(0);
    driver.answer(2, 'deadlock');
    await Promise.all(written.slice(0, 2));
    await clock.advance(20);
    driver.answer(1, null);
    await written[2];
    assert.deepEqual(driver.batches[1]?.units, [units[2]]);
  });

  test('a second without a commit is a stall: orders are refused, everything else waits', async () => {
    const { driver, clock, journal } = setUp();
    const first = journal.write(order());
    await clock.advance(999);
    assert.equal(journal.stalled, false);
    await clock.advance(1);
    assert.equal(journal.stalled, true);
    assert.equal(journal.lagMs, 1_000);
    await assert.rejects(
      journal.write(order()),
      (error) => error instanceof Fault && error.code === 'unavailable' && error.retryAfterS === 1,
    );
    const settlement = journal.write(rest);
    driver.answer(1, null);
    await first;
    await clock.advance(0);
    assert.equal(journal.stalled, false);
    driver.answer(1, null);
    await settlement;
    assert.equal(journal.lagMs, 0);
  });

  test('it is committing while the database has units, but not while it waits to retry', async () => {
    const { driver, clock, journal } = setUp();
    assert.equal(journal.committing, false);
    const written = journal.write(order());
    await clock.advance(0);
    assert.equal(journal.committing, true);
    driver.answer(0, 'disk full');
    await clock.advance(0);
    assert.equal(journal.committing, false);
    await clock.advance(20);
    assert.equal(journal.committing, true);
    driver.answer(1, null);
    await written;
    await clock.advance(0);
    assert.equal(journal.committing, false);
  });

  test('a full queue takes no more orders, but every unit that ends one', async () => {
    const { driver, clock, journal } = setUp(3);
    const taken = [journal.write(order()), journal.write(order()), journal.write(order())];
    const refused = journal.write(order());
    const end = journal.write(rest);
    await assert.rejects(refused, isUnavailable);
    await clock.advance(0);
    driver.answer(4, null);
    await Promise.all([...taken, end]);
  });

  test('an idle journal never stalls', async () => {
    const { driver, clock, journal } = setUp();
    const first = journal.write(order());
    await clock.advance(0);
    driver.answer(1, null);
    await first;
    await clock.advance(60_000);
    assert.equal(journal.stalled, false);
  });

  test('closing commits the queue and takes nothing more', async () => {
    const { driver, clock, journal } = setUp();
    const first = journal.write(order());
    await clock.advance(0);
    const second = journal.write(order());
    const closed = journal.close();
    await assert.rejects(journal.write(rest), isUnavailable);
    driver.answer(1, null);
    await clock.advance(0);
    assert.equal(driver.closed, false);
    driver.answer(1, null);
    await Promise.all([first, second, closed]);
    assert.equal(driver.closed, true);
  });

  test('closing while the database does not commit gives up the rest', async () => {
    const { driver, clock, journal } = setUp();
    const first = journal.write(order());
    await clock.advance(0);
    const second = journal.write(order());
    driver.answer(0, 'disk full');
    await clock.advance(0);
    const closed = journal.close();
    await assert.rejects(first, isUnavailable);
    await assert.rejects(second, isUnavailable);
    await closed;
    assert.equal(driver.closed, true);
    assert.equal(clock.pending, 0);
  });

  test('closing during a commit that fails gives up the rest', async () => {
    const { driver, clock, journal } = setUp();
    const first = journal.write(order());
    await clock.advance(0);
    const closed = journal.close();
    driver.answer(0, 'disk full');
    await assert.rejects(first, isUnavailable);
    await closed;
    assert.equal(clock.pending, 0);
  });

  test('a caller of an order whose commit is under way is notified at the deadline, and the outcome still comes', async () => {
    const { driver, clock, journal } = setUp();
    let calls = 0;
    const written = journal.write(order(), () => calls++);
    await clock.advance(4999);
    assert.equal(calls, 0);
    await clock.advance(1);
    assert.equal(calls, 1);
    driver.answer(1, null);
    assert.deepEqual(await written, { result: 'queued' });
  });

  test('an order that is not being committed at the deadline is withdrawn; a change is not', async () => {
    const { driver, clock, journal } = setUp();
    const first = journal.write(order());
    await clock.advance(0);
    let calls = 0;
    const withdrawn = journal.write(order(), () => calls++);
    const change = journal.write(rest, () => calls++);
    const refused = assert.rejects(withdrawn, isUnavailable);
    await clock.advance(5000);
    await refused;
    assert.deepEqual([calls, journal.pending], [2, 2]);
    driver.answer(1, null);
    await first;
    await clock.advance(0);
    driver.answer(1, null);
    await change;
    assert.deepEqual(driver.sizes, [1, 1]);
  });

  test('nobody is notified of an outcome that comes in time', async () => {
    const { driver, clock, journal } = setUp();
    const written = journal.write(order(), () => assert.fail('it was in time'));
    await clock.advance(0);
    driver.answer(1, null);
    await written;
    assert.equal(clock.pending, 0);
  });

  test('each transaction is reported once it has committed, with how long it took, its retries included', async () => {
    const driver = new ScriptedDriver();
    const clock = new ManualClock(startMs);
    const commits: number[] = [];
    const journal = new Journal({ driver, clock, log: silentLog, onCommit: (ms) => void commits.push(ms) });
    const first = journal.write(order());
    await clock.advance(7);
    driver.answer(1, null);
    await first;
    assert.deepEqual(commits, [7]);
    const second = journal.write(order());
    await clock.advance(5);
    driver.answer(0, 'busy');
    await clock.advance(20);
    assert.deepEqual(commits, [7]);
    driver.answer(1, null);
    await second;
    assert.deepEqual(commits, [7, 25]);
  });
});
