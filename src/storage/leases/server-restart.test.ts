/** A lease, its beats and its journal while the server stops and starts again: on a server of its own. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type Log, silentLog } from '#base/log.ts';
import { fundedAccount } from '#testing/databases.ts';
import { freePort } from '#testing/free-port.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { skipMariadb } from '#testing/mariadb.ts';
import { acceptUnit, admissionOf, orderRow, settleUnit } from '#testing/order-fixtures.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { createJournal } from '../journal/journal.ts';
import { takeServing } from './serving.ts';

/** Set by scripts/with-mariadb and scripts/with-mysql. */
const script = String(process.env.TEST_DATABASE_SCRIPT);
const run = promisify(execFile);

describe('a server that is started again', { skip: skipMariadb }, () => {
  let folder: string;
  let port: number;
  let db: Database;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-server-'));
    port = await freePort();
    const url = await start();
    db = openDatabase(`${url}/sluice`);
  });
  after(async () => {
    await db.close();
    await run(script, ['stop', folder]);
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<string> {
    // The server goes on and keeps what it inherits, so its output must not be a pipe that is waited for.
    const { stdout } = await run('bash', ['-c', '"$0" start "$1" "$2" 2>/dev/null', script, folder, String(port)]);
    return stdout.trim();
  }

  test('the gateway keeps its lease, and what waited commits once', async () => {
    const clock = new ManualClock();
    const lines: string[] = [];
    const note = (_fields: object, sentence: string) => void lines.push(sentence);
    const log: Log = { ...silentLog, info: note, warn: note, error: note };
    const right = await takeServing(db, { clock, log, peer: null });
    const journal = createJournal(db, { clock, log: silentLog, fence: right.fence });
    const accountId = await fundedAccount(db, clock, 10n ** 12n);
    const order = orderRow({ accountId });
    await journal.write(acceptUnit(order, { admission: admissionOf(60n) }));
    const { epoch } = await db.knex('leases').where('name', 'like', 'gateway:%').first('epoch');

    await run(script, ['stop', folder]);
    const settled = journal.write(settleUnit(order, 42n));
    while (!lines.some((line) => line.includes('could not be renewed'))) await clock.advance(1000);
    await start();
    while (!lines.some((line) => line.includes('renewed again'))) await clock.advance(1000);
    assert.equal((await settled).result, 'settled');
    assert.deepEqual((await db.knex('leases').where('name', 'like', 'gateway:%').first('epoch')).epoch, epoch);
    const account = await db.knex('accounts').where({ id: accountId }).first('balance', 'held');
    assert.deepEqual([String(account.balance), String(account.held)], [String(10n ** 12n - 42n), '0']);

    await journal.close();
    await right.release();
    assert.equal((await db.knex('beats')).length, 0);
  });
});
