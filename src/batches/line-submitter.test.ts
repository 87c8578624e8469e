/** The outcome of the lines of one batch when the order service, the journal or the disk refuses. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { shapes } from '#adapters/shapes.ts';
import { Fault } from '#base/fault.ts';
import { silentLog } from '#base/log.ts';
import { Semaphore } from '#base/semaphore.ts';
import { chatLine } from '#testing/batch-bench.ts';
import { batchRow } from '#testing/batch-fixtures.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { startMs } from '#testing/order-fixtures.ts';
import { AccountLines } from './account-lines.ts';
import { NOT_RUN } from './line-request.ts';
import { LINES_TOGETHER, LineSubmitter } from './line-submitter.ts';

type Options = ConstructorParameters<typeof LineSubmitter>[1];
type Submit = Options['lines']['submit'];
type Submission = Awaited<ReturnType<Submit>>;
type Unit = Parameters<Options['journal']['write']>[0];

const order = { type: 'order', ticket: {} } as Submission;

describe('lines on their way', () => {
  let clock: ManualClock;
  let notRun: ReturnType<Options['notRun']>;
  let isStopped: boolean;
  let roomLeft: number;
  let room: AccountLines;
  /** Answers of the order service to come, by custom id; a line without any more becomes an order. */
  let answers: Map<string, (Submission | Error)[]>;
  let onSubmit: () => void;
  let keyRead: () => Promise<void>;
  let journalFaults: Error[];
  let submitted: string[];
  let deadlines: (number | null)[];
  let written: Unit[];
  let ended: number[];
  let ordered: number[];

  beforeEach(() => {
    clock = new ManualClock(startMs);
    notRun = null;
    isStopped = false;
    roomLeft = 1000;
    room = new AccountLines(() => roomLeft);
    answers = new Map();
    onSubmit = () => {};
    keyRead = async () => {};
    [journalFaults, submitted, deadlines, written, ended, ordered] = [[], [], [], [], [], []];
  });

  const submit: Submit = async (_customer, _request, { customId, deadlineMs }) => {
    submitted.push(customId);
    deadlines.push(deadlineMs ?? null);
    onSubmit();
    const answer = answers.get(customId)?.shift() ?? order;
    if (answer instanceof Error) throw answer;
    return answer;
  };

  /** Begins to submit the lines of `chunks`. */
  function run(
    chunks: AsyncIterable<Uint8Array>,
    recorded = new Set<number>(),
    { total = 3, deadlineMs = null as number | null } = {},
  ) {
    const journal = {
      write: (async (unit: Unit) => {
        const fault = journalFaults.shift();
        if (fault) throw fault;
        written.push(unit);
        return { result: 'changed' };
      }) as Options['journal']['write'],
    };
    const submitter = new LineSubmitter(batchRow({ accountId: 'a', limit: 5e9, deadlineMs }), {
      ...{ clock, log: silentLog, journal, lines: { submit }, shapes, room, recorded },
      queued: () => ordered.length,
      total,
      semaphore: new Semaphore(LINES_TOGETHER),
      countsInBudget: () => keyRead().then(() => false),
      notRun: () => notRun,
      stopped: () => isStopped,
      onOrder: (line) => ordered.push(line),
      onEnded: (line) => ended.push(line),
    });
    const outcome = { done: false, error: null as unknown };
    const whole = submitter.run(chunks).then(
      () => {
        outcome.done = true;
      },
      (error) => {
        outcome.error = error;
      },
    );
    return { outcome, whole, recorded };
  }

  async function* linesOf(...customIds: string[]): AsyncGenerator<Uint8Array> {
    for (const customId of customIds) yield Buffer.from(`${chatLine(customId)}\n`);
  }

  const codes = () => written.map((unit) => (unit.kind === 'line-failed' ? [unit.line, unit.error] : []));

  test('each becomes an order once, but for those that are recorded', async () => {
    const { whole, recorded } = run(linesOf('a', 'b', 'c'), new Set([2]));
    await whole;
    assert.deepEqual(
      [submitted, ordered],
      [
        ['a', 'c'],
        [1, 3],
      ],
    );
    assert.deepEqual([...recorded].sort(), [1, 2, 3]);
  });

  test('lines of a batch with a deadline share its time, and leave a fifth of the places', async () => {
    roomLeft = 5;
    room = new AccountLines(() => roomLeft - ordered.length);
    const ids = Array.from({ length: 8 }, (_, at) => `line ${at}`);
    const { outcome } = run(linesOf(...ids), new Set(), { total: 8, deadlineMs: startMs + 8000 });
    await clock.advance(0);
    assert.deepEqual(deadlines, [startMs + 4000, startMs + 4000, startMs + 4000, startMs + 4000]);
    assert.equal(outcome.done, false);
    ordered.splice(0, 4);
    await clock.advance(4000);
    room.freed();
    await clock.advance(0);
    assert.deepEqual(deadlines.slice(4), Array(4).fill(startMs + 8000));
    assert.equal(outcome.done, true);
  });

  test('the time of a line begins when it becomes an order, also where the key was long in coming', async () => {
    keyRead = () => new Promise((resolve) => clock.after(4000, resolve));
    room = new AccountLines(() => 1);
    const { outcome } = run(linesOf('a'), new Set(), { total: 2, deadlineMs: startMs + 8000 });
    await clock.advance(4000);
    assert.deepEqual([deadlines, outcome.done], [[startMs + 6000], true]);
  });

  test('lines of a batch without a deadline have none, and take every place', async () => {
    roomLeft = 3;
    room = new AccountLines(() => roomLeft - ordered.length);
    await run(linesOf('a', 'b', 'c')).whole;
    assert.deepEqual(deadlines, [null, null, null]);
  });

  test('a line with a deadline of its own is refused', async () => {
    async function* lines() {
      yield Buffer.from(`${chatLine('own', { deadline: 60 })}\n${chatLine('none', { deadline: null })}\n`);
    }
    await run(lines()).whole;
    assert.deepEqual([codes(), submitted], [[[1, 'invalid_request']], ['none']]);
  });

  test('a gateway that cannot take a line is asked again each second, and its neighbours go on', async () => {
    answers.set('a', [new Fault('unavailable'), new Fault('internal_error'), new Error('a bug')]);
    const { outcome, whole } = run(linesOf('a', 'b'));
    for (const tries of [1, 2, 3]) {
      await clock.advance(999);
      assert.equal(submitted.filter((each) => each === 'a').length, tries);
      await clock.advance(1);
    }
    await whole;
    assert.equal(outcome.done, true);
    assert.deepEqual([ordered, written], [[2, 1], []]);
  });

  test('a line that is refused is recorded with its code, also when the journal takes it only later', async () => {
    answers.set('a', [new Fault('invalid_request'), new Fault('invalid_request')]);
    journalFaults = [new Error('the database is away')];
    const { whole, recorded } = run(linesOf('a'));
    await clock.advance(0);
    assert.deepEqual([recorded.size, ended], [0, []]);
    await clock.advance(1000);
    await whole;
    assert.deepEqual([codes(), ended, [...recorded]], [[[1, 'invalid_request']], [1], [1]]);
  });

  test('a line that became an order and could not be paid for has ended, and is not recorded again', async () => {
    answers.set('a', [new Fault('insufficient_balance', { orderId: 'o' })]);
    const { whole, recorded } = run(linesOf('a'));
    await whole;
    assert.deepEqual([written, ended, ordered, [...recorded]], [[], [1], [], [1]]);
  });

  test('a line that finds its account full tries again when there is room', async () => {
    answers.set('a', [new Fault('queue_full')]);
    roomLeft = 1;
    const { whole } = run(linesOf('a'));
    await whole;
    assert.deepEqual([submitted, ordered], [['a', 'a'], [1]]);
  });

  test('a line waits for room without being read, and looks again when something has ended', async () => {
    roomLeft = 0;
    const { outcome, whole } = run(linesOf('a', 'b'));
    await clock.advance(10_000);
    assert.deepEqual([submitted, outcome.done], [[], false]);
    roomLeft = 2;
    room.freed();
    await whole;
    assert.deepEqual(submitted, ['a', 'b']);
  });

  test('lines that wait for room when the batch is canceled or out of time are recorded as that', async () => {
    for (const status of ['canceled', 'expired'] as const) {
      [roomLeft, notRun, written, ended] = [0, null, [], []];
      const { whole } = run(linesOf('a', 'b'));
      await clock.advance(0);
      notRun = NOT_RUN[status];
      room.wake();
      await whole;
      assert.deepEqual(
        [codes(), ended, submitted],
        [
          [
            [1, status],
            [2, status],
          ],
          [1, 2],
          [],
        ],
      );
    }
  });

  test('a line that a canceled batch did not take is recorded as canceled', async () => {
    answers.set('a', [new Fault('order_canceled')]);
    onSubmit = () => {
      notRun = NOT_RUN.canceled;
    };
    const { whole } = run(linesOf('a'));
    await whole;
    assert.deepEqual([codes(), ordered], [[[1, 'canceled']], []]);
  });

  test('a line that is refused as canceled while its batch is not is asked again, and the log says so', async (t) => {
    const logged = t.mock.method(silentLog, 'error');
    answers.set('a', [new Fault('order_canceled')]);
    const { whole } = run(linesOf('a'));
    await clock.advance(1000);
    await whole;
    assert.deepEqual([submitted, ordered, written], [['a', 'a'], [1], []]);
    assert.equal(logged.mock.callCount(), 1);
  });

  test('a process that closes leaves lines that are to be tried again to the next one', async () => {
    answers.set('a', [new Fault('unavailable')]);
    const { outcome, recorded } = run(linesOf('a'));
    await clock.advance(0);
    isStopped = true;
    await clock.advance(1000);
    assert.deepEqual([outcome.done, submitted, recorded.size], [true, ['a'], 0]);
  });

  test('a process that closes leaves lines that wait for room to the next one', async () => {
    roomLeft = 0;
    const { outcome, recorded } = run(linesOf('a', 'b'));
    await clock.advance(0);
    isStopped = true;
    room.wake();
    await clock.advance(0);
    assert.deepEqual([outcome.done, submitted, recorded.size], [true, [], 0]);
  });

  test('an input that breaks off is reported when the lines in hand are recorded', async () => {
    answers.set('a', [new Fault('unavailable')]);
    const broken = new Fault('unavailable', { cause: new Error('no such device') });
    const { outcome, whole, recorded } = run(
      (async function* () {
        yield* linesOf('a', 'b');
        throw broken;
      })(),
    );
    await clock.advance(999);
    assert.deepEqual([outcome.error, [...recorded]], [null, [2]]);
    await clock.advance(1);
    await whole;
    assert.deepEqual([outcome.error, [...recorded]], [broken, [2, 1]]);
  });

  test('no more lines are in hand than may be, however many wait for room', async () => {
    roomLeft = 0;
    let read = 0;
    const { outcome, whole } = run(
      (async function* () {
        for (let line = 0; line < 3 * LINES_TOGETHER; line++) {
          read++;
          yield* linesOf(`${line}`);
        }
      })(),
    );
    await clock.advance(0);
    assert.equal(read, LINES_TOGETHER + 1);
    roomLeft = 1000;
    room.wake();
    await whole;
    assert.deepEqual([outcome.done, ordered.length], [true, 3 * LINES_TOGETHER]);
  });
});
