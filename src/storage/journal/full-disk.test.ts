/** A disk that is really full: a small one in memory, mounted for the test, with a file that fills it. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { silentLog } from '#base/log.ts';
import { audit } from '#storage/audit/index.ts';
import { fundedAccount } from '#testing/databases.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { acceptUnit, admissionOf, orderRow } from '#testing/order-fixtures.ts';
import { FolderBlobs } from '../blobs/blobs.ts';
import { openDatabase } from '../database/database.ts';
import { migrate } from '../database/migrations/migrate.ts';
import { createJournal } from './journal.ts';

interface SmallDisk {
  readonly folder: string;
  fill(): void;
  free(): void;
  remove(): void;
}

/** Two megabytes; null where this user may not mount. */
function mountSmallDisk(): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      appendFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(filler),
    remove() {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

const disk = mountSmallDisk();

test('a full disk delays writes and loses nothing', {
  skip: disk ? false : 'this user may not mount a small disk',
}, async () => {
  assert.ok(disk);
  const clock = new ManualClock();
  const db = openDatabase(`sqlite:${join(disk.folder, 'a.sqlite')}`);
  await migrate(db);
  const accountId = await fundedAccount(db, clock, 10n ** 12n);
  for (const table of ['levels', 'markets']) {
    await db.knex(table).insert({ model: 'tide-70b', level_seq: 1, level: 500_000_000, at_ms: 1 });
  }
  const journal = createJournal(db, { clock, log: silentLog });
  const blobs = new FolderBlobs(join(disk.folder, 'results'));
  try {
    disk.fill();
    const orders = Array.from({ length: 200 }, () => orderRow({ accountId }));
    let written = 0;
    const all = orders.map((order) =>
      journal.write(acceptUnit(order, { admission: admissionOf(60n) })).then(() => written++),
    );
    // The clock waits for the disk: what is still being written when the journal stalls could commit after all.
    while (journal.committing || !journal.stalled) {
      await turn();
      if (!journal.committing) await clock.advance(10);
    }
    assert.ok(written < orders.length);
    await assert.rejects(blobs.put(orders[0]?.id ?? '', new Uint8Array(8192)), 'a result is refused, not half written');
    await assert.rejects(journal.write(acceptUnit(orderRow({ accountId }))), { code: 'unavailable' });
    disk.free();
    while (written < orders.length) {
      await turn();
      await clock.advance(100);
    }
    await Promise.all(all);
    await blobs.put(orders[0]?.id ?? '', new Uint8Array(8192));
    const report = await audit(db, null);
    assert.deepEqual([report.findings, report.orders], [[], orders.length]);
  } finally {
    await journal.close();
    await db.close();
    disk.remove();
  }
});
