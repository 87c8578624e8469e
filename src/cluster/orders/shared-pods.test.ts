/** What the operator sets of a pod, and what a gateway learns of one, on the way to the other gateways. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Fault } from '#base/fault.ts';
import type { PodReport, PodSetting } from '#orders/ports.ts';
import { joinedCalls } from '#testing/joined-calls.ts';
import type { ManualClock } from '#testing/manual-clock.ts';
import { SharedPods } from './shared-pods.ts';

const DRAINING: PodSetting = { draining: true, slots: null };
const SMALL: PodSetting = { draining: false, slots: 2 };

let clock: ManualClock;
let cluster: Awaited<ReturnType<typeof joinedCalls>>;
let owner: number | null;
let applied: string[];

const join = (self: number) =>
  new SharedPods({
    ...{ self, clock, calls: cluster.calls(self), ownerOf: () => owner },
    apply: (pod, { draining, slots }) => applied.push(`${self}: ${pod} ${draining ? 'drains' : slots}`),
    reported: () => {},
  });

beforeEach(async () => {
  cluster = await joinedCalls(3);
  clock = cluster.clock;
  owner = 2;
  applied = [];
});

test('every gateway receives it, and it is answered once the owner has', async () => {
  const [one] = [1, 2, 3].map(join);
  const set = one?.set('tide', 'tide-1', DRAINING);
  assert.deepEqual(applied, ['1: tide-1 drains']);
  await clock.advance(100);
  await set;
  assert.deepEqual(applied.sort(), ['1: tide-1 drains', '2: tide-1 drains', '3: tide-1 drains']);
});

test('the newest setting wins, also where it was made elsewhere in the same millisecond', async () => {
  const [one, , three] = [1, 2, 3].map(join);
  const sets = [one?.set('tide', 'tide-1', DRAINING), one?.set('tide', 'tide-1', SMALL)];
  await clock.advance(100);
  await Promise.all(sets);
  assert.deepEqual(
    applied.filter((line) => line.startsWith('3')),
    ['3: tide-1 drains', '3: tide-1 2'],
  );
  const back = three?.set('tide', 'tide-1', DRAINING);
  await clock.advance(100);
  await back;
  for (const gateway of [1, 2, 3])
    assert.equal(
      applied.findLast((line) => line.startsWith(`${gateway}`)),
      `${gateway}: tide-1 drains`,
    );
});

test('without its owner it is refused, and may be set again; without any owner it is set where it can be', async () => {
  const [one] = [1, 2, 3].map(join);
  cluster.network.crash(2);
  const refused = assert.rejects(
    async () => one?.set('tide', 'tide-1', DRAINING),
    (error) => error instanceof Fault && error.code === 'unavailable',
  );
  await clock.advance(10_000);
  await refused;
  owner = null;
  await one?.set('tide', 'tide-1', SMALL);
  owner = 3;
  const again = one?.set('tide', 'tide-1', DRAINING);
  await clock.advance(100);
  await again;
  assert.equal(applied.at(-1), '3: tide-1 drains');
});

test('a gateway that is met later learns it, once, and an older setting than its own changes nothing', async () => {
  const [one] = [1, 2].map(join);
  const set = one?.set('tide', 'tide-1', DRAINING);
  await clock.advance(100);
  await set;
  join(3);
  // The session of gateway 1 with 3 opens once more.
  const asked: unknown[] = [];
  const stranger = { gateway: 3, send: (message: unknown) => asked.push(message), close: () => {} };
  cluster.calls(1).opened(stranger);
  assert.partialDeepStrictEqual(asked, [
    { type: 'call', name: 'pods.set', params: [{ pod: 'tide-1', draining: true }] },
  ]);
});

const report = (model: string): PodReport => ({ model, pod: 'pod-1', order: 'order', kind: 'failed' });

test('the owner receives what another gateway learned, and no other gateway does', async () => {
  const { clock, calls, network } = await joinedCalls(2);
  const owners: Record<string, number> = { mine: 1, theirs: 2 };
  const heard: string[] = [];
  const [one] = [1, 2].map(
    (self) =>
      new SharedPods({
        ...{ self, clock, calls: calls(self), ownerOf: (model) => owners[model] ?? null, apply: () => {} },
        reported: ({ model, kind }) => void heard.push(`${self}: ${model} ${kind}`),
      }),
  );
  for (const model of ['mine', 'theirs', 'ownerless']) one?.report(report(model));
  await clock.advance(100);
  assert.deepEqual(heard, ['2: theirs failed']);

  one?.report(report('theirs'));
  owners.theirs = 1;
  await clock.advance(100);
  assert.equal(heard.length, 1, 'it owns the market no more');

  owners.theirs = 2;
  network.crash(2);
  one?.report(report('theirs'));
  await clock.advance(10_000);
  assert.equal(heard.length, 1);
});
