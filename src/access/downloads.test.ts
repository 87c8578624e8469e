import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#base/fault.ts';
import { silentLog } from '#base/log.ts';
import { testCall } from '#testing/calls.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import type { DownloadsUsed } from './downloads.ts';
import { Downloads } from './downloads.ts';

/** Counts a download of somebody who reads all of it. */
const taking = (downloads: Downloads, accountId: string, bytes: number) =>
  downloads.begin(testCall('getFileContent'), accountId, bytes);

/** 3,600 bytes per hour: one per second. */
function fixture() {
  const clock = new ManualClock();
  const saved = new Map<string, DownloadsUsed>();
  const store = {
    load: async (accountId: string) => saved.get(accountId) ?? null,
    save: async (accountId: string, used: DownloadsUsed) => void saved.set(accountId, used),
  };
  const boot = () => new Downloads({ store, clock, bytesPerHour: () => 3600, log: silentLog });
  const shared = () => new Downloads({ store, clock, bytesPerHour: () => 3600, shared: true, log: silentLog });
  return { clock, saved, boot, shared, downloads: boot() };
}

/** The seconds that a refusal reports. */
async function waitS(take: Promise<void>): Promise<number> {
  const refusal = await take.then(
    () => null,
    (error) => error,
  );
  assert.ok(refusal instanceof Fault && refusal.code === 'rate_limit_error');
  return refusal.retryAfterS ?? 0;
}

// Spec 8-15
test('an allowance starts full, and one download may exceed it', async () => {
  const { downloads } = fixture();
  await taking(downloads, 'a', 3599);
  await taking(downloads, 'a', 10_000);
  await waitS(taking(downloads, 'a', 0));
});

test('gateways that share accounts share their allowance', async () => {
  const { clock, shared } = fixture();
  const [one, other] = [shared(), shared()];
  await taking(one, 'a', 2000);
  await taking(other, 'a', 1000);
  await taking(one, 'a', 700);
  assert.equal(await waitS(taking(other, 'a', 1)), 101);
  assert.equal(await waitS(taking(one, 'a', 1)), 101);
  await clock.advance(3_600_000);
  await Promise.all([taking(one, 'a', 2000), taking(one, 'a', 1600)]);
  assert.equal(await waitS(taking(other, 'a', 1)), 101, 'two at once at one gateway both count');
});

test('an allowance used up to the last byte is used up', async () => {
  const { downloads } = fixture();
  await taking(downloads, 'a', 3600);
  assert.equal(await waitS(taking(downloads, 'a', 1)), 1);
});

test('the reported wait is exact to the second', async () => {
  const { clock, downloads } = fixture();
  await taking(downloads, 'a', 3600 + 99);
  const seconds = await waitS(taking(downloads, 'a', 1));
  assert.equal(seconds, 100);
  await clock.advance(seconds * 1000 - 1000);
  assert.equal(await waitS(taking(downloads, 'a', 1)), 1);
  await clock.advance(1000);
  await taking(downloads, 'a', 1);
});

test('usage refills continuously, and never above full', async () => {
  const { clock, downloads } = fixture();
  await taking(downloads, 'a', 3600);
  await clock.advance(1_800_000);
  await taking(downloads, 'a', 1799);
  await taking(downloads, 'a', 1);
  await waitS(taking(downloads, 'a', 1));
  await clock.advance(100 * 3_600_000);
  await taking(downloads, 'a', 3600);
  await waitS(taking(downloads, 'a', 1));
});

test('accounts have separate allowances', async () => {
  const { downloads } = fixture();
  await taking(downloads, 'a', 3600);
  await taking(downloads, 'b', 3600);
  await waitS(taking(downloads, 'a', 1));
});

test('a restart does not grant a second allowance', async () => {
  const { clock, downloads, boot } = fixture();
  await taking(downloads, 'a', 3700);
  await clock.advance(50_000);
  assert.equal(await waitS(taking(boot(), 'a', 1)), 51);
});

test('what was not sent is given back, also after a restart, and never more than was used', async () => {
  const { clock, downloads, boot } = fixture();
  const begin = async (of: Downloads, bytes: number) => {
    const call = testCall('getFileContent');
    await of.begin(call, 'a', bytes);
    return call;
  };
  const left = await begin(downloads, 3600);
  left.hangUp(3500);
  await clock.advance(0);
  (await begin(boot(), 100)).replied(true);
  await clock.advance(0);
  const late = await begin(boot(), 100);
  await waitS(taking(boot(), 'a', 1));
  await clock.advance(3_600_000);
  late.hangUp(0);
  (await begin(boot(), 3600)).replied();
  await waitS(taking(boot(), 'a', 1));
});

test('a call for the headers alone counts nothing, and needs no allowance', async () => {
  const { downloads, saved } = fixture();
  await taking(downloads, 'a', 3600);
  const before = structuredClone(saved);
  await downloads.begin(testCall('getFileContent', { headersOnly: true }), 'a', 5);
  assert.deepEqual(saved, before);
});

test('concurrent first downloads are counted together', async () => {
  const { downloads } = fixture();
  const all = await Promise.allSettled([1, 2, 3, 4].map(() => taking(downloads, 'a', 1800)));
  assert.deepEqual(
    all.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected'],
  );
});

test('a clock that was set back neither refills nor resets an allowance', async () => {
  const { clock, saved, downloads } = fixture();
  saved.set('a', { usedBytes: 3600, atMs: clock.nowMs() + 1_000_000 });
  assert.equal(await waitS(taking(downloads, 'a', 1)), 1);
});
