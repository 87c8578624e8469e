/** Databases that earlier versions made, as `kept-databases/` has them: opened, brought up to date and audited. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { loadText, schemaOf } from '#testing/database-text.ts';
import { openTested, testedDatabases } from '#testing/databases.ts';
import { audit } from '../audit/index.ts';
import { type Database, openDatabase } from './database.ts';
import { baseline } from './migrations/0060_baseline.ts';
import { migrate, migrations } from './migrations/migrate.ts';
import { replaced } from './migrations/older-tables.ts';

const run = promisify(execFile);
const CLI = join(import.meta.dirname, '../../cli.ts');
const FOLDER = join(import.meta.dirname, 'kept-databases');
/** The oldest version whose databases are upgraded. */
const OLDEST = '2026-11-21';
/** The schema in SQLite that all forty migrations before the baseline had created. */
const FORTY_SHA256 = 'e087f455119837aaef7132ebefce24370858abc2094af378583e3d8f6bb5ec86';
const versions = globSync(join(FOLDER, '*.sqlite.sql')).map((file) => basename(file, '.sqlite.sql'));
const newest = migrations.map(({ id }) => id);

for (const tested of testedDatabases) {
  describe(`the upgrade on ${tested.name}`, { skip: tested.skip }, () => {
    const kind = tested.name === 'SQLite' ? 'sqlite' : 'mysql';
    // Of a new database.
    let schema: readonly string[] = [];
    let recorded: readonly string[] = [];
    before(async () => {
      const { db, drop } = await openTested(tested);
      schema = await schemaOf(db);
      recorded = await recordedIds(db);
      await drop();
    });

    /** Passes `use` the database that `version` made. */
    async function withFixture(version: string, use: (db: Database, url: string) => Promise<void>): Promise<void> {
      const { url, drop } = await tested.make();
      await loadText(url, readFileSync(join(FOLDER, `${version}.${kind}.sql`), 'utf8'));
      const db = openDatabase(url);
      try {
        await use(db, url);
      } finally {
        await db.close();
        await drop();
      }
    }

    test('the baseline creates the tables that the forty migrations created', { skip: kind === 'mysql' }, async () => {
      const { url, drop } = await tested.make();
      const db = openDatabase(url);
      const tables = ['CREATE TABLE IF NOT EXISTS migrations (id VARCHAR(64) NOT NULL PRIMARY KEY)'];
      for (const statement of [...tables, ...baseline.statements(db.dialect, new Set())]) await db.knex.raw(statement);
      const made = createHash('sha256').update((await schemaOf(db)).join('\n'));
      assert.equal(made.digest('hex'), FORTY_SHA256);
      await db.close();
      await drop();
    });

    for (const version of versions) {
      test(`a database of ${version} gets the tables of a new one, keeps its rows and passes the audit`, () =>
        withFixture(version, async (db) => {
          const kept = await keptRows(db);
          assert.ok(kept.orders.length > 10);
          assert.deepEqual(await migrate(db), newest);
          assert.deepEqual(await migrate(db), []);
          assert.deepEqual(await schemaOf(db), schema);
          assert.deepEqual(await recordedIds(db), recorded);
          assert.deepEqual(await keptRows(db), kept);
          await assertSummed(db);
          const report = await audit(db, null);
          assert.deepEqual([report.findings, report.orders], [[], kept.orders.length]);
        }));
    }

    test('a database with all forty migrations is not touched', () =>
      withFixture(OLDEST, async (db) => {
        await migrate(db);
        await db.knex('migrations').where({ id: baseline.id }).delete();
        await db.knex('usage_days').delete();
        assert.deepEqual(await migrate(db), [baseline.id]);
        assert.deepEqual(await db.knex('usage_days'), []);
        assert.deepEqual(await schemaOf(db), schema);
      }));

    test('a database with some of the later migrations gets the others', () =>
      withFixture(OLDEST, async (db) => {
        // Versions between had some of the later migrations, not always in the order of their numbers.
        await migrate(db);
        await db.knex('migrations').whereIn('id', [baseline.id, '0029_audit_runs', '0035_top_ups']).delete();
        await db.knex.raw('ALTER TABLE audit_acknowledgements DROP COLUMN who');
        await db.knex.raw('ALTER TABLE payments DROP COLUMN automatic');
        for (const table of ['audit_runs', 'top_ups']) await db.knex.schema.dropTable(table);
        assert.deepEqual(await migrate(db), [baseline.id]);
        assert.deepEqual(await db.knex('payments').select('automatic'), []);
        assert.deepEqual(await db.knex('audit_acknowledgements').select('who'), []);
        assert.equal((await schemaOf(db)).length, schema.length);
      }));

    test('the forty ids are recorded, so that the version before the baseline finds nothing to do', () =>
      assert.deepEqual(recorded, [...replaced, ...newest].sort()));

    test('of gateways that start at the same time one upgrades, and the others find it done', () =>
      withFixture(OLDEST, async (_, url) => {
        const environment = { ...process.env, DATABASE_URL: url };
        const starts = await Promise.all(
          [1, 2, 3].map(() => run(process.execPath, [CLI, 'migrate', '--json'], { env: environment })),
        );
        const lines = starts.map(({ stdout }) => stdout.trim()).sort();
        assert.deepEqual(lines, [JSON.stringify({ applied: newest }), '{"applied":[]}', '{"applied":[]}']);
      }));

    test(
      'an upgrade that was cut off is finished by the next start',
      {
        skip: kind === 'sqlite' && 'one transaction there',
      },
      () =>
        withFixture(OLDEST, async (db) => {
          const statements = baseline.statements(db.dialect, new Set(await db.knex('migrations').pluck('id')));
          for (const end of [5, 60, statements.length]) {
            for (const statement of statements.slice(0, end)) {
              await db.knex.raw(statement).catch((error) => assert.ok(db.dialect.isAlreadyDone(error), error));
            }
          }
          await migrate(db);
          assert.deepEqual(await schemaOf(db), schema);
          await assertSummed(db);
        }),
    );

    test('a database of a version before the oldest is refused, and stays as it is', () =>
      withFixture(OLDEST, async (db) => {
        await db.knex('migrations').where({ id: '0016_batch_indexes' }).delete();
        const earlier = await schemaOf(db);
        await assert.rejects(migrate(db), {
          name: 'Error',
          message:
            'The database cannot be used: a version before 0.1.0 made its tables; start version 0.1.0 with it once, then this one.',
        });
        assert.deepEqual(await schemaOf(db), earlier);
      }));
  });
}

/** The rows of a database, as every version since the oldest stores them. */
async function keptRows({ knex }: Database) {
  return {
    accounts: await knex('accounts').orderBy('id').select('id', 'balance', 'held', 'stored_bytes'),
    keys: await knex('api_keys').orderBy('id').select('id', 'hash', 'account_id'),
    entries: await knex('entries').orderBy('id'),
    orders: await knex('orders').orderBy('id').select('id', 'status', 'bid', 'tariff_id', 'custom_id', 'result_state'),
    usage: (await knex('usage_records').orderBy('order_id')).map(
      ({ key_id: _, first_output_at_ms: __, ...row }) => row,
    ),
    batches: await knex('batches').orderBy('id').select('id', 'status', 'completed', 'failed', 'tariffs'),
    lines: await knex('batch_lines').orderBy('line'),
    answers: await knex('stored_answers').orderBy('order_id'),
    quotes: await knex('quotes').orderBy('quote_seq').select('model', 'quote_seq', 'price'),
    states: await knex('quote_states'),
    blocks: await knex('level_blocks').orderBy(['model', 'width_ms', 'from_ms']),
  };
}

/** Checks the tables that are sums of others. */
async function assertSummed({ knex }: Database): Promise<void> {
  const days = await knex('usage_days').sum({ charged: 'charged', requests: 'requests' });
  const records = await knex('usage_records').select(
    knex.raw('SUM(charged - refunded) AS charged, COUNT(*) AS requests'),
  );
  assert.deepEqual(days.map(plain), records.map(plain));
  const keyed = await knex('usage_days').whereNot({ key_id: '' }).distinct('key_id').pluck('key_id');
  assert.deepEqual(keyed.sort(), (await knex('api_keys').pluck('id')).sort());
  const ofAnother = knex('usage_records').join('orders', 'orders.id', 'usage_records.order_id');
  assert.deepEqual(await ofAnother.whereRaw("COALESCE(usage_records.key_id, '') <> COALESCE(orders.key_id, '')"), []);
  const figures = ['total', 'failures', 'done', 'queue_ms', 'pipeline_ms'].map((name) => `SUM(${name})`);
  const probes = (table: string) =>
    knex(table)
      .groupBy('model')
      .orderBy('model')
      .select('model', knex.raw(`CONCAT_WS(' ', ${figures.join(', ')}, MAX(ms_max)) AS figures`));
  assert.deepEqual(await probes('probe_days'), await probes('probe_buckets'));
  const uncharged = await knex('entries')
    .whereNot({ kind: 'charge' })
    .whereNot('unique_key', 'like', 'house:%')
    .pluck('id');
  assert.deepEqual((await knex('transfers').pluck('id')).sort(), uncharged.sort());
  assert.equal(uncharged.length, 3);
}

async function recordedIds({ knex }: Database): Promise<readonly string[]> {
  return knex('migrations').orderBy('id').pluck('id');
}

/** Figures as text, whatever the driver makes of them. */
function plain(row: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)]));
}
