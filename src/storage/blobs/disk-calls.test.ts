/** Calls to a disk that may hang: who is refused, who waits, and what comes back late. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { silentLog } from '#base/log.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { DiskCalls, directAccess } from './disk-calls.ts';

const DEADLINE_MS = 5000;
const unavailable = { code: 'unavailable', retryAfterS: 30 };

/** Calls to a disk, with what was logged about them. */
function fixture() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const note = (_fields: object, sentence: string) => void lines.push(sentence);
  const log = { debug: note, info: note, warn: note, error: note };
  const calls = new DiskCalls({ clock, log, deadlineMs: DEADLINE_MS });
  return { clock, calls, lines };
}

/** A call that hangs until it is ended. */
function hanging() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = { begun: false, end: () => resolve('done'), fail: () => reject(new Error('EIO')) };
  const work = () => {
    call.begun = true;
    return promise;
  };
  return { ...call, work, hasBegun: () => call.begun };
}

describe('calls to a disk', () => {
  test('a caller gets the answer, or unavailable with the cause of a failure', async () => {
    const { calls, clock } = fixture();
    assert.equal(await calls.inTime(async () => 7), 7);
    const cause = new Error('EIO');
    const failing = () => Promise.reject(cause);
    for (const access of [calls, directAccess]) {
      for (const failure of [access.inTime(failing), access.patiently(failing)])
        await assert.rejects(failure, { ...unavailable, cause });
    }
    await assert.rejects(directAccess.eventually(failing), { ...unavailable, cause });
    assert.equal(clock.pending, 0);
    assert.equal(calls.working, false);
  });

  test('two are in the disk at once, and the others follow in order', async () => {
    const { calls, clock } = fixture();
    const three = [hanging(), hanging(), hanging()];
    const answers = three.map(({ work }) => calls.inTime(work));
    assert.deepEqual(
      three.map(({ hasBegun }) => hasBegun()),
      [true, true, false],
    );
    three[1]?.end();
    await answers[1];
    await clock.advance(0);
    assert.equal(three[2]?.hasBegun(), true);
    for (const { end } of three) end();
    await Promise.all(answers);
  });

  test('a caller is refused at the deadline, whether its call has begun or waits', async () => {
    const { calls, clock } = fixture();
    const hung = [hanging(), hanging()];
    const waits = hanging();
    const answers = [...hung, waits].map(({ work }) => assert.rejects(calls.inTime(work), unavailable));
    await clock.advance(DEADLINE_MS);
    await Promise.all(answers);
    for (const { end } of hung) end();
    await clock.advance(0);
    assert.equal(waits.hasBegun(), false);
    assert.equal(clock.pending, 0);
  });

  test('while nothing comes back callers are refused at once, and one log line says when it ends', async () => {
    const { calls, clock, lines } = fixture();
    const hung = [hanging(), hanging()];
    const refused = hung.map(({ work }) => assert.rejects(calls.inTime(work), unavailable));
    await clock.advance(DEADLINE_MS);
    await Promise.all(refused);
    assert.equal(calls.stalled, true);
    await assert.rejects(
      calls.inTime(async () => 1),
      unavailable,
    );
    hung[0]?.end();
    await clock.advance(0);
    assert.equal(calls.stalled, false);
    assert.equal(await calls.inTime(async () => 1), 1);
    hung[1]?.end();
    await clock.advance(0);
    assert.deepEqual(lines, [
      'The data folder does not answer: nothing is stored or read until it does.',
      'The data folder answers again.',
    ]);
  });

  test('one call that hangs stops no others', async () => {
    const { calls, clock } = fixture();
    const hung = hanging();
    const refused = assert.rejects(calls.inTime(hung.work), unavailable);
    await clock.advance(DEADLINE_MS);
    await refused;
    assert.equal(calls.stalled, false);
    assert.deepEqual(await Promise.all([1, 2, 3].map((number) => calls.inTime(async () => number))), [1, 2, 3]);
    hung.end();
  });

  test('what comes back late is undone, goes no further, or is only logged', async () => {
    const { calls, clock, lines } = fixture();
    const [late, fails] = [hanging(), hanging()];
    const undone: string[] = [];
    const undo = async (answer: string) => void undone.push(answer);
    const refused = [
      assert.rejects(calls.inTime(late.work, undo), unavailable),
      assert.rejects(calls.inTime(fails.work, undo), unavailable),
    ];
    await clock.advance(DEADLINE_MS);
    await Promise.all(refused);
    late.end();
    fails.fail();
    await clock.advance(0);
    assert.deepEqual(undone, ['done']);
    assert.equal(lines.filter((line) => line === 'A late call to the data folder failed.').length, 1);

    const steps = hanging();
    let wentOn = false;
    const stopped = calls.inTime(
      async (proceed) => {
        await steps.work();
        proceed();
        wentOn = true;
      },
      async () => undo('never'),
    );
    const stoppedAtLast = assert.rejects(stopped, unavailable);
    await clock.advance(DEADLINE_MS);
    await stoppedAtLast;
    steps.end();
    await clock.advance(0);
    assert.equal(wentOn, false);
    assert.deepEqual(undone, ['done']);
  });

  test('patient work waits however long it takes', async () => {
    const { calls, clock } = fixture();
    const hung = [hanging(), hanging(), hanging()];
    const answers = hung.map(({ work }) => calls.patiently(work));
    await clock.advance(100 * DEADLINE_MS);
    assert.equal(calls.stalled, true);
    for (const { end } of hung) end();
    assert.deepEqual(await Promise.all(answers), ['done', 'done', 'done']);
  });

  test('a deletion is done, or is sure to be done later', async () => {
    const { calls, clock } = fixture();
    const hung = [hanging(), hanging()];
    const done: number[] = [];
    const deletion = (number: number) => calls.eventually(async () => void done.push(number));
    await deletion(1);
    assert.deepEqual(done, [1]);
    const stuck = hung.map(({ work }) => calls.eventually(async () => void (await work())));
    await clock.advance(DEADLINE_MS);
    await Promise.all(stuck);
    await deletion(2);
    assert.deepEqual(done, [1]);
    for (const { end } of hung) end();
    await clock.advance(0);
    assert.deepEqual(done, [1, 2]);
    assert.equal(clock.pending, 0);
  });

  test('a deletion that fails is tried again when the disk works', async () => {
    const { calls, clock, lines } = fixture();
    let [broken, tries, done] = [true, 0, 0];
    for (let deletion = 0; deletion < 3; deletion++)
      await calls.eventually(async () => {
        tries++;
        if (broken) throw new Error('ENOTCONN');
        done++;
      });
    await assert.rejects(calls.inTime(() => Promise.reject(new Error('ENOTCONN'))));
    await clock.advance(0);
    assert.deepEqual([tries, done], [3, 0]);
    await calls.inTime(async () => {});
    await clock.advance(0);
    assert.deepEqual([tries, done], [4, 0]);
    broken = false;
    await calls.inTime(async () => {});
    await clock.advance(0);
    assert.deepEqual([tries, done], [7, 3]);
    assert.equal(lines.length, 3);
  });

  test('what is tried again takes its turn too', async () => {
    const { calls, clock } = fixture();
    let [broken, at, most] = [true, 0, 0];
    const call = async () => {
      most = Math.max(most, ++at);
      await new Promise(setImmediate);
      at--;
    };
    const deletions = [1, 2, 3].map(() =>
      calls.eventually(async () => {
        if (broken) throw new Error('ENOTCONN');
        await call();
      }),
    );
    await Promise.all(deletions);
    broken = false;
    await Promise.all(Array.from({ length: 9 }, () => calls.inTime(call)));
    await clock.advance(0);
    assert.equal(most, 2);
  });

  test('more calls than may wait are refused', async () => {
    const { calls } = fixture();
    const hung = hanging();
    const all = Array.from({ length: 10_003 }, () =>
      calls.patiently(hung.work).then(
        () => 'done',
        () => 'refused',
      ),
    );
    hung.end();
    const answers = await Promise.all(all);
    assert.equal(answers.filter((answer) => answer === 'refused').length, 1);
    assert.ok((await calls.patiently(async () => new Fault('unavailable'))) instanceof Fault);
  });
});

test('a gateway that may have been declared dead stores and deletes nothing, also what waits, until it is sure', async () => {
  const clock = new ManualClock();
  let sure = true;
  const calls = new DiskCalls({ clock, log: silentLog, deadlineMs: 5_000, atOnce: 1, mayCall: () => sure });
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const began = calls.inTime(() => first.promise);
  const waits = calls.inTime(async () => void done.push('waits'));
  sure = false;
  first.resolve();
  await began;
  await assert.rejects(waits, { code: 'unavailable' });
  await assert.rejects(
    calls.patiently(async () => void done.push('patient')),
    { code: 'unavailable' },
  );
  await calls.eventually(async () => void done.push('deleted'));
  assert.equal(done.length, 0);
  sure = true;
  await calls.inTime(async () => void done.push('stored'));
  await clock.advance(0);
  assert.deepEqual(done, ['stored', 'deleted']);
});
