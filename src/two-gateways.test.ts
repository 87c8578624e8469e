/** Two gateways on one database of a server, in processes of their own: the second by mistake, or after the first hung. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { OpenedDatabase } from '#testing/databases.ts';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { openMariadb, skipMariadb, untilBlocked } from '#testing/mariadb.ts';
import { marketModel, selling } from '#testing/test-config.ts';
import { until } from '#testing/until.ts';

describe('two gateways on one MariaDB', { skip: skipMariadb }, () => {
  let opened: OpenedDatabase;
  let site: Site;
  let other: Site;
  let apiKey: string;
  let running: GatewayProcess[];

  beforeEach(async () => {
    opened = await openMariadb();
    const configuration = selling([marketModel('tide', 4)]);
    site = await makeSite(configuration, { DATABASE_URL: opened.url });
    // Its own port, and the data of the first.
    const environment = { DATABASE_URL: opened.url, SLUICE_DATA: site.environment.SLUICE_DATA };
    other = await makeSite(configuration, { ...environment, PORT: String(await freePort()) });
    const account = await site.command('account', 'create', 'test', '--credit', '100');
    apiKey = String((await site.command('key', 'create', String(account.json.account_id))).json.api_key);
    running = [];
  });
  afterEach(async () => {
    for (const gateway of running) await gateway.kill();
    site.remove();
    other.remove();
    await opened.drop();
  });

  async function start(at: Site): Promise<GatewayProcess> {
    const gateway = await at.start();
    running.push(gateway);
    return gateway;
  }

  const complete = (gateway: GatewayProcess, simulate: object) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [{ role: 'user', content: 'hello' }],
        price_limit: 10,
        x_simulate: simulate,
      }),
    });

  /** Makes the last beat as old as if the gateway had been silent for so long. */
  const age = () => opened.db.knex.raw('UPDATE beats SET beat_at = beat_at - INTERVAL 11 SECOND');

  const hasOrder = (status: string) => async () => (await opened.db.knex('orders').where({ status })).length > 0;

  /** The exit code of a gateway that ends by itself. */
  async function ended(gateway: GatewayProcess): Promise<number | null> {
    await until(async () => !isAlive(gateway.pid));
    return gateway.stop();
  }

  async function auditIsClean(): Promise<void> {
    assert.deepEqual((await other.command('audit')).json.findings, []);
  }

  test('the second does not start, and the first goes on', async () => {
    const first = await start(site);
    const answer = complete(first, { output_tokens: 10, token_ms: 300 });
    await until(hasOrder('executing'));
    await assert.rejects(other.start(), /another gateway serves it \(process \d+ on .+\); stop that one/);
    assert.equal((await answer).status, 200);
    await auditIsClean();
  });

  test('a gateway that hung while another took over commits nothing, and ends at once', async () => {
    const first = await start(site);
    // It does not end within the test, however slow the machine is.
    const answer = complete(first, { output_tokens: 10, token_ms: 60_000 }).catch(() => null);
    await until(hasOrder('executing'));
    process.kill(first.pid, 'SIGSTOP');
    await age();
    const second = await start(other);
    process.kill(first.pid, 'SIGCONT');
    assert.equal(await ended(first), 1);
    assert.match(first.log(), /Another gateway took over the database/);
    await answer;
    assert.equal((await complete(second, { output_tokens: 2 })).status, 200);
    const rows = await opened.db.knex('orders').orderBy('id').select('status', 'error');
    assert.deepEqual(
      rows.map(({ status, error }) => [status, error]),
      [
        ['error', 'gateway_restarted'],
        ['done', null],
      ],
    );
    await auditIsClean();
  });

  test('a gateway that hangs in a transaction, with rows locked, does not hold up the next one', async () => {
    const first = await start(site);
    const lock = await opened.db.knex.transaction();
    await lock('accounts').update({ name: 'locked' });
    const answer = complete(first, { output_tokens: 2 }).catch(() => null);
    await untilBlocked(opened.db, '%accounts%');
    process.kill(first.pid, 'SIGSTOP');
    await lock.rollback();
    await age();
    await start(other);
    process.kill(first.pid, 'SIGCONT');
    assert.equal(await ended(first), 1);
    await answer;
    assert.equal((await opened.db.knex('orders').where({ status: 'executing' })).length, 0);
    await auditIsClean();
  });

  test('after a kill the next one starts at once, and after a stop too', async () => {
    const first = await start(site);
    await first.kill();
    const [[before]] = await opened.db.knex.raw('SELECT beat_at FROM beats');
    const second = await start(other);
    assert.match(second.log(), /Took the database over from a gateway that ended without leaving it/);
    const [[after]] = await opened.db.knex.raw('SELECT beat_at FROM beats');
    assert.notDeepEqual(after, before);
    assert.equal(await second.stop(), 0);
    assert.equal((await opened.db.knex('beats')).length, 0);
    const third = await start(site);
    assert.doesNotMatch(third.log(), /Took the database over/);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
