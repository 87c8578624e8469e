/** A backup of a gateway under load, restored elsewhere: the books agree, what was promised is there, and it serves. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { create } from 'tar';
import { writeArchive } from '#storage/backup/archive.ts';
import { openDatabase } from '#storage/database/database.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { marketModel, selling } from '#testing/test-config.ts';

const CONFIGURATION = selling([{ ...marketModel('tide', 4, 4), context_length: 1_000_000 }], {
  limits: { account_operations_per_minute_per_account: 10_000_000 },
});
/** Above what is kept in rows: a file of its own waits for each. */
const LARGE = 'x'.repeat(200_000);

type Reply = Record<string, unknown>;

describe('a backup', () => {
  let site: Site;
  let gateway: GatewayProcess;
  let key = '';
  const file = () => join(site.folder, 'backup.tar');

  before(async () => {
    site = await makeSite(CONFIGURATION);
    const { json: account } = await site.command('account', 'create', 'Ada', '--credit', '1000', '--force');
    key = String((await site.command('key', 'create', String(account.account_id))).json.api_key);
    gateway = await site.start();
  });
  after(async () => {
    await gateway?.kill();
    site?.remove();
  });

  const chat = async (url: string, more: object): Promise<Reply> => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ model: 'tide', messages: [{ role: 'user', content: 'hello' }], max_tokens: 4, price_limit: 50 },
        ...more,
      }),
    });
    return (await response.json()) as Reply;
  };

  it('taken under load audits clean elsewhere, has what was promised before it, and serves', async () => {
    const large = [{ role: 'user', content: LARGE }];
    const kept = await Promise.all(
      Array.from({ length: 12 }, () => chat(gateway.url, { messages: large, detached: true, max_wait: 3600 })),
    );
    let stopped = false;
    const load = Array.from({ length: 8 }, async (_, client) => {
      while (!stopped) await chat(gateway.url, client % 2 === 0 ? {} : { messages: large, detached: true });
    });
    const written = await site.command('backup', file());
    stopped = true;
    await Promise.all(load);
    assert.deepEqual([written.exitCode, written.json.findings, written.json.with_content], [0, [], true]);
    assert.equal(statSync(file()).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(site.folder).filter((name) => name.startsWith('.sluice')),
      [],
    );

    const elsewhere = await makeSite(CONFIGURATION);
    try {
      const restored = await elsewhere.command('restore', file());
      assert.deepEqual([restored.exitCode, restored.json.findings], [0, []]);
      const audited = await elsewhere.command('audit');
      assert.deepEqual([audited.json.ok, audited.json.accounts], [true, 1]);
      const other = await elsewhere.start();
      try {
        assert.ok((await chat(other.url, {})).usage);
        for (const { id } of kept) await ended(other.url, String(id));
      } finally {
        await other.stop();
      }
      assert.deepEqual((await elsewhere.command('audit')).json.findings, []);
    } finally {
      elsewhere.remove();
    }
  });

  /** Resolves when a detached order is done. */
  async function ended(url: string, id: string): Promise<void> {
    for (;;) {
      const response = await fetch(`${url}/v1/orders/${id}`, { headers: { authorization: `Bearer ${key}` } });
      const reply = (await response.json()) as Reply;
      const { status } = reply;
      if (status === 'done') return;
      assert.ok(status === 'queued' || status === 'executing', JSON.stringify(reply));
    }
  }

  it('restored after more orders lacks exactly their receipts, and sluice audit --with names them', async () => {
    const older = join(site.folder, 'older.tar');
    const receipts = join(site.folder, 'receipts');
    mkdirSync(receipts);
    const keep = (name: string, answers: readonly object[]) =>
      writeFileSync(join(receipts, name), answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''));
    const orderOf = ({ usage }: Reply) => (usage as { x_market: { order_id: string } }).x_market.order_id;
    const known = await Promise.all([chat(gateway.url, {}), chat(gateway.url, {})]);
    await site.command('backup', older);
    const later = await Promise.all([chat(gateway.url, {}), chat(gateway.url, {}), chat(gateway.url, {})]);
    keep('known.jsonl', known);
    keep('later.jsonl', later);
    const complete = await site.command('audit', '--with', receipts);
    assert.deepEqual([complete.exitCode, complete.json.receipts, complete.json.findings], [0, 5, []]);

    const elsewhere = await makeSite(CONFIGURATION);
    try {
      await elsewhere.command('restore', older);
      const { exitCode, json } = await elsewhere.command('audit', '--with', receipts);
      const named = (json.findings as string[]).map((finding) => /Order ([^:]+): its receipt says/.exec(finding)?.[1]);
      assert.deepEqual([exitCode, named.sort()], [1, later.map(orderOf).sort()]);
    } finally {
      elsewhere.remove();
    }
  });

  it('of a newer version is refused, as every command and the gateway refuse its database', async () => {
    const newer = await makeSite(CONFIGURATION);
    await newer.command('migrate');
    const database = openDatabase(String(newer.environment.DATABASE_URL));
    await database.knex('migrations').insert({ id: '9999_tomorrow' });
    await database.knex.raw('PRAGMA journal_mode = DELETE');
    await database.close();
    const refusal =
      /cannot be used: a newer version made its tables, with the migration 9999_tomorrow; use that version\.$/;
    const backup = join(newer.folder, 'new.tar');
    for (const command of ['migrate', 'audit', `backup ${backup}`, 'account list', 'key list a', 'signing-key rotate'])
      assert.match(messageOf(await newer.command(...command.split(' '))), refusal, command);
    await assert.rejects(newer.start(), /a newer version made its tables, with the migration 9999_tomorrow/);

    await writeArchive(newer.folder, backup, { version: 'tomorrow', createdAtMs: 0, withContent: true });
    const elsewhere = await makeSite(CONFIGURATION);
    assert.match(messageOf(await elsewhere.command('restore', backup)), refusal);
    for (const { remove } of [newer, elsewhere]) remove();
  });

  it('replaces nothing', async () => {
    const before = readFileSync(file());
    const again = await site.command('backup', file());
    assert.match(messageOf(again), /backup\.tar exists; name another file/);
    assert.deepEqual(readFileSync(file()), before);
    const onto = await site.command('restore', file());
    assert.match(messageOf(onto), /sluice\.sqlite exists; stop the gateway and move it away/);
    const empty = await makeSite(CONFIGURATION);
    mkdirSync(join(empty.folder, 'data/results'), { recursive: true });
    writeFileSync(join(empty.folder, 'data/results/x'), '');
    assert.match(messageOf(await empty.command('restore', file())), /data\/results is not empty/);
    for (const left of ['sluice.sqlite-shm', 'sluice.sqlite-wal']) {
      writeFileSync(join(empty.folder, left), '');
      assert.match(messageOf(await empty.command('restore', file())), new RegExp(`${left} exists; stop the gateway`));
    }
    empty.remove();
  });

  it('that is none, is damaged, or would write elsewhere, is refused and changes nothing', async () => {
    const elsewhere = await makeSite(CONFIGURATION);
    const place = join(elsewhere.folder, 'x.tar');
    const refusal = async (bytes: Buffer | string) => {
      writeFileSync(place, bytes);
      return messageOf(await elsewhere.command('restore', place));
    };
    const whole = readFileSync(file());
    assert.match(await refusal(''), /x\.tar is no backup/);
    assert.match(await refusal('a text '.repeat(1_000)), /x\.tar is no backup/);
    assert.match(await refusal(whole.subarray(0, whole.length / 2)), /x\.tar is no backup/);
    const strange = join(elsewhere.folder, 'strange');
    mkdirSync(strange);
    writeFileSync(join(strange, 'crontab'), 'x');
    await create({ cwd: strange, file: place }, ['crontab']);
    assert.match(messageOf(await elsewhere.command('restore', place)), /holds "crontab", which no backup has/);
    assert.match(messageOf(await elsewhere.command('restore', `${place}.none`)), /does not exist/);
    assert.deepEqual(readdirSync(join(elsewhere.folder, 'data')), []);
    elsewhere.remove();
  });
});

function messageOf({ exitCode, json }: Awaited<ReturnType<Site['command']>>): string {
  assert.equal(exitCode, 1);
  return String((json.error as { message?: unknown } | undefined)?.message);
}
