/** The chains of published prices at a gateway in a process of its own, and what somebody does who rewrites the past. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { HOUR_MS } from '#base/time.ts';
import { levelHash } from '#ledger/price-chain.ts';
import { type Database, openDatabase } from '#storage/database/database.ts';
import { migrate } from '#storage/database/migrations/migrate.ts';
import { writing } from '#storage/database/transaction.ts';
import { createJournal } from '#storage/journal/journal.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { marketModel, selling } from '#testing/test-config.ts';

/** Of the past day: more than a page. */
const LEVELS = 1300;
const QUOTES = 40;

let site: Site;
let db: Database;
let gateway: GatewayProcess;
let receipt: string;

before(async () => {
  site = await makeSite(selling([marketModel('tide', 4)]), { DATABASE_URL: undefined });
  db = openDatabase(`sqlite:${join(site.folder, 'sluice.sqlite')}`);
  site.environment.DATABASE_URL = `sqlite:${join(site.folder, 'sluice.sqlite')}`;
  await migrate(db);
  await tradeForADay();
  const account = await site.command('account', 'create', 'test', '--credit', '100');
  const { api_key } = (await site.command('key', 'create', String(account.json.account_id))).json;
  gateway = await site.start();
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], price_limit: 10, price_lock: true });
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
  const id = answer.headers.get('x-service-order-id');
  receipt = await saved('receipt.json', `/v1/orders/${id}/receipt`, headers);
  await saved('jwks.json', '/.well-known/jwks.json');
});
after(async () => {
  await gateway?.kill();
  await db?.close();
  site?.remove();
});

async function tradeForADay(): Promise<void> {
  const journal = createJournal(db, { clock: new ManualClock(), log: silentLog });
  const startMs = systemClock.nowMs() - 23 * HOUR_MS;
  const writes: Promise<unknown>[] = [];
  for (let seq = 1; seq <= LEVELS; seq++) {
    const level = 1_000_000_000 + ((seq * 7919) % 1000) * 1_000_000;
    writes.push(journal.write({ kind: 'level', model: 'tide', levelSeq: seq, level, atMs: startMs + seq * 1000 }));
  }
  for (let seq = 1; seq <= QUOTES; seq++) {
    const window = { atMs: startMs + seq * 10_000, untilMs: startMs + (seq + 1) * 10_000 };
    writes.push(journal.write({ kind: 'quote', model: 'tide', quoteSeq: seq, price: 2e9, ...window, state: null }));
  }
  await Promise.all(writes);
  await journal.close();
}

async function saved(name: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  const file = join(site.folder, name);
  const answer = await fetch(gateway.url + path, { headers });
  assert.equal(answer.status, 200, path);
  writeFileSync(file, await answer.text());
  return file;
}

const jwks = () => ['--jwks', join(site.folder, 'jwks.json')];
const verifyDay = (...more: string[]) => site.command('verify', '--chain', gateway.url, '--model', 'tide', ...more);
interface Followed {
  readonly chain: string;
  readonly rows: number;
  readonly from: number;
  readonly fault: string | null;
}
const followed = ({ json }: { json: Record<string, unknown> }) => json.chains as Followed[];

test('one command verifies the levels and the quotes of a day, across the start of a gateway', async () => {
  const verified = await verifyDay();
  assert.equal(verified.exitCode, 0);
  const [levels, quotes] = followed(verified);
  assert.deepEqual([levels?.chain, levels?.from, levels?.fault], ['levels', 1, null]);
  assert.ok((levels?.rows ?? 0) > LEVELS && (quotes?.rows ?? 0) > QUOTES, 'Rows of before the start and after it.');
});

test('a stretch of it can be verified alone', async () => {
  const rows = await db.knex('levels').where({ model: 'tide' }).whereIn('level_seq', [500, 600]).orderBy('level_seq');
  const [from = '', to = ''] = rows.map((row) => new Date(Number(row.at_ms)).toISOString());
  const [levels] = followed(await verifyDay('--from', from, '--to', to));
  assert.deepEqual([levels?.from, levels?.rows, levels?.fault], [500, 101, null]);
});

test('a receipt agrees with the ledger, and so does a signed head', async () => {
  const head = await saved('head.json', '/v1/market/ledger/head?model=tide&chain=levels');
  for (const file of [receipt, head]) {
    const { exitCode, json } = await site.command('verify', file, ...jwks(), '--chain', gateway.url);
    assert.deepEqual([exitCode, json.faults], [0, []]);
  }
});

test('rows that are taken out of the chain are found, however many follow each other', async () => {
  for (const [from, to] of [
    [600, 610],
    // More than a page, and not the newest row, after which the gateway goes on.
    [100, 1250],
  ] as const) {
    const stretch = () => db.knex('levels').where({ model: 'tide' }).whereBetween('level_seq', [from, to]);
    const before = await stretch().select('level_seq', 'hash');
    await stretch().update({ hash: null });
    const { exitCode, json } = await verifyDay();
    assert.equal(exitCode, 1, `${from} to ${to}`);
    assert.ok(followed({ json })[0]?.fault, `${from} to ${to}`);
    for (const { level_seq, hash } of before)
      await db.knex('levels').where({ model: 'tide', level_seq }).update({ hash });
    assert.equal((await verifyDay()).exitCode, 0);
  }
});

test('a level that is rewritten in the database is found by the command and by the audit', async () => {
  const row = () => db.knex('levels').where({ model: 'tide', level_seq: 1200 });
  const { level } = await row().first();
  await row().update({ level: String(BigInt(level) - 1n) });
  const fault = 'Level 1200 is not what was published: its hash does not fit.';
  const { exitCode, json } = await verifyDay();
  assert.deepEqual([exitCode, json.ok, followed({ json })[0]?.fault], [1, false, fault]);
  const audited = await site.command('audit');
  assert.match(String(audited.json.findings), /Market tide: level 1200 is not what was published/);
  await row().update({ level: String(level) });
  assert.equal((await verifyDay()).exitCode, 0);
});

test('a quote that is rewritten is found, and so is a row that is removed', async () => {
  const quote = () => db.knex('quotes').where({ model: 'tide', quote_seq: 20 });
  await quote().update({ price: '1999999999' });
  assert.match(String(followed(await verifyDay())[1]?.fault), /^Quote 20 is not what was published/);
  await quote().update({ price: '2000000000' });
  await db.knex('levels').where({ model: 'tide', level_seq: 700 }).delete();
  assert.match(String(followed(await verifyDay())[0]?.fault), /^Level 701 comes after number 699: rows are missing/);
});

test('an operator who rewrites every hash, too, is found by anybody who kept a receipt or a head', async () => {
  // At once: the gateway goes on from the last row.
  await writing(db, async (trx) => {
    await trx('levels').where({ model: 'tide' }).where('level_seq', '<=', 700).delete();
    let previous: string | null = null;
    for (const row of await trx('levels').where({ model: 'tide' }).orderBy('level_seq')) {
      const said = { number: Number(row.level_seq), price: Number(row.level) + 1, atMs: Number(row.at_ms) };
      const hash = levelHash('tide', said, previous);
      await trx('levels').where({ model: 'tide', level_seq: said.number }).update({ level: said.price, hash });
      previous = hash;
    }
  });
  assert.equal((await verifyDay()).exitCode, 0, 'The chain alone cannot show it.');
  for (const file of [receipt, join(site.folder, 'head.json')]) {
    const { exitCode, json } = await site.command('verify', file, ...jwks(), '--chain', gateway.url);
    assert.equal(exitCode, 1);
    assert.match(String(json.faults), /The ledger of tide was rewritten: level \d+ had another hash/);
  }
});

test('a receipt whose rows are no longer kept is right, and nothing is said to have been compared', async () => {
  // All of them: the newest may be those of the receipt, or not, by how long the tests before took.
  for (const table of ['levels', 'quotes']) await db.knex(table).where({ model: 'tide' }).delete();
  const { exitCode, json } = await site.command('verify', receipt, ...jwks(), '--chain', gateway.url);
  assert.deepEqual([exitCode, json.ok, json.rows_compared], [0, true, 0]);
  assert.ok(Number(json.rows_named) > 0);
});
