/** Calls between gateways, over a simulated network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { silentLog } from '#base/log.ts';
import { joinedCalls, Outage } from '#testing/joined-calls.ts';
import { ManualClock } from '#testing/manual-clock.ts';

const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail('it was answered'),
    (error: unknown) => error,
  );

test('a call is answered with what its handler returns', async () => {
  const { clock, calls } = await joinedCalls(2);
  calls(2).handle('add', async (params, from) => ({ params, from }));
  calls(2).handle('nothing', async () => {});
  const answers = Promise.all([calls(1).call(2, 'add', [1, 2]), calls(1).call(2, 'nothing', null)]);
  await clock.advance(100);
  assert.deepEqual(await answers, [{ params: [1, 2], from: 1 }, null]);
});

test('a Fault arrives with all that its caller gets, and without its cause', async () => {
  const { clock, calls } = await joinedCalls(2);
  const detail = { message: 'No.', param: 'p', retryAfterS: 7, orderId: 'o', details: { a: 'b' }, headers: { x: 'y' } };
  calls(2).handle('fail', async () => {
    throw new Fault('order_not_cancelable', { ...detail, cause: new Error('private') });
  });
  calls(2).handle('plain', async () => {
    throw new Fault('not_found');
  });
  const faults = Promise.all([caught(calls(1).call(2, 'fail', null)), caught(calls(1).call(2, 'plain', null))]);
  await clock.advance(100);
  const [fault, other] = await faults;
  assert.deepEqual(fault, new Fault('order_not_cancelable', detail));
  assert.equal((fault as Fault).cause, undefined);
  assert.deepEqual(other, new Fault('not_found'));
});

test('an error that is no Fault, or a code that is unknown, is an internal error', async () => {
  const { clock, calls } = await joinedCalls(2);
  calls(2).handle('break', async () => {
    throw new Error('private');
  });
  calls(2).handle('newer', async () => {
    throw Object.assign(new Fault('not_found'), { code: 'constructor' });
  });
  const faults = Promise.all([caught(calls(1).call(2, 'break', null)), caught(calls(1).call(2, 'newer', null))]);
  await clock.advance(100);
  assert.deepEqual(
    (await faults).map((fault) => fault instanceof Fault && fault.code),
    ['internal_error', 'internal_error'],
  );
});

test('a database that does not answer there is reported as it would be here: unavailable, try again', async () => {
  const { clock, calls } = await joinedCalls(2);
  calls(2).handle('read', async () => {
    throw new Outage('the server has gone away');
  });
  const fault = caught(calls(1).call(2, 'read', null));
  await clock.advance(100);
  assert.deepEqual(await fault, new Fault('unavailable', { retryAfterS: 1 }));
});

for (const [what, happen] of [
  ['cannot be reached', (w) => w.network.crash(2)],
  ['does not know the call', () => {}],
] as readonly [string, (w: Awaited<ReturnType<typeof joinedCalls>>) => void][]) {
  test(`a gateway that ${what} is unavailable for a second`, async () => {
    const w = await joinedCalls(2);
    happen(w);
    await w.clock.advance(1_000);
    const fault = caught(w.calls(1).call(2, 'unknown', null));
    await w.clock.advance(100);
    const { code, retryAfterS } = (await fault) as Fault;
    assert.deepEqual([code, retryAfterS], ['unavailable', 1]);
  });
}

test('a call ends with its session', async () => {
  const w = await joinedCalls(2);
  w.calls(2).handle('never', () => new Promise(() => {}));
  const fault = caught(w.calls(1).call(2, 'never', null));
  w.network.reset(1, 2);
  await w.clock.advance(500);
  assert.equal(((await fault) as Fault).code, 'unavailable');
});

test('a call that is not answered ends at its deadline, and a late answer changes nothing', async () => {
  const w = await joinedCalls(2);
  let answer = (_value: string) => {};
  w.calls(2).handle('slow', () => new Promise((resolve) => (answer = resolve)));
  const fault = caught(w.calls(1).call(2, 'slow', null));
  await w.clock.advance(1_900);
  const long = w.calls(1).call(2, 'slow', null, 60_000);
  await w.clock.advance(200);
  assert.match(((await fault) as Fault).message, /may still be applied/);
  await w.clock.advance(30_000);
  answer('late');
  await w.clock.advance(100);
  assert.equal(await long, 'late');
});

test('nothing is left of calls that have ended', async () => {
  const { clock, calls } = await joinedCalls(2, { clock: new ManualClock(), log: silentLog });
  calls(2).handle('add', async () => 1);
  const before = clock.pending;
  const answers = Promise.all(Array.from({ length: 100 }, () => calls(1).call(2, 'add', null)));
  await clock.advance(100);
  assert.equal((await answers).length, 100);
  assert.equal(clock.pending, before);
});
