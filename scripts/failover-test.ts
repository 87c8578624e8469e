/**
 * `node scripts/failover-test.ts [--asynchronous]`: what docs/sell/backup.md says of a MariaDB that is lost, on two servers
 * of this machine. The primary is killed under load, its replica promoted, and the gateway goes on against it, by the
 * same address: a TCP proxy stands for the virtual address. Then a mistake on the new primary is undone from a dump and
 * the binary log. Each time `sluice audit --with` compares every receipt that a client got. Exits 1 on a finding. With
 * `--asynchronous` the replica is 100 ms behind and the primary does not wait for it: prints what was lost.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '#testing/free-port.ts';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { TcpProxy } from '#testing/tcp-proxy.ts';
import { marketModel, selling, unlimited } from '#testing/test-config.ts';
import { readBooks, serverPid } from './harness/database.ts';

const CONFIGURATION = selling([marketModel('tide', 8, 8)], { limits: unlimited });
const SCRIPT = join(import.meta.dirname, 'mariadb');
const CLIENTS = 8;
/** So many receipts before and after the primary is killed, and before and after the dump. */
const RECEIPTS = 300;
/** How far an asynchronous replica is behind. */
const BEHIND_MS = 100;
/** The primary waits for its replica, for as long as it takes, before it answers a commit. */
const SEMI_SYNC_PRIMARY = [
  'SET GLOBAL rpl_semi_sync_master_wait_point = AFTER_SYNC',
  'SET GLOBAL rpl_semi_sync_master_timeout = 3600000',
  'SET GLOBAL rpl_semi_sync_master_enabled = ON',
];

/** A server in a folder of its own. */
class Server {
  readonly folder: string;
  readonly port: number;
  readonly url: string;

  constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
    this.url = `mysql://root@127.0.0.1:${port}/sluice`;
  }

  static async start(name: string, ...options: readonly string[]): Promise<Server> {
    const server = new Server(join(folder, name), await freePort());
    const all = ['--log-bin=binlog', '--log-slave-updates', '--gtid-strict-mode', ...options];
    execFileSync(SCRIPT, ['start', server.folder, String(server.port), ...all], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    servers.push(server);
    // Not replicated: each server has made its database and its user for itself.
    await server.run('RESET MASTER');
    return server;
  }

  /** Runs statements, and returns the rows of the last one. */
  async run(...statements: readonly string[]) {
    let rows: Awaited<ReturnType<typeof readBooks>> = [];
    for (const sql of statements) rows = await readBooks(this.url, sql);
    return rows;
  }

  /** Runs a program of MariaDB's client against it, and returns what it prints. */
  tool(program: string, args: readonly string[], input = ''): string {
    const connection = ['--no-defaults', '--protocol=tcp', '--host=127.0.0.1', `--port=${this.port}`, '--user=root'];
    return execFileSync(program, [...connection, ...args], { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  }

  async kill(): Promise<void> {
    process.kill(await serverPid(this.url), 'SIGKILL');
  }

  /** The file of its binary log, and how long it is. */
  async position(): Promise<{ file: string; at: number }> {
    const [row] = await this.run('SHOW MASTER STATUS');
    return { file: String(row?.File), at: Number(row?.Position) };
  }
}

/** Clients that keep each receipt they get, one a line. */
class Load {
  /** How many receipts they have. */
  receipts = 0;
  readonly #clients: readonly Promise<void>[];
  #ended = false;

  constructor(url: string, apiKey: string) {
    this.#clients = Array.from({ length: CLIENTS }, async () => {
      while (!this.#ended) await this.#ask(url, apiKey).catch(() => sleep(20));
    });
  }

  async more(count: number): Promise<void> {
    const enough = this.receipts + count;
    while (this.receipts < enough) await sleep(20);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#clients);
  }

  async #ask(url: string, apiKey: string): Promise<void> {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Now?' }], max_tokens: 2, price_limit: 50 }),
      signal: AbortSignal.timeout(30_000),
    });
    const answer = await response.text();
    if (response.status !== 200) throw new Error(answer);
    appendFileSync(join(receiptsFolder, 'answers.jsonl'), `${answer}\n`);
    this.receipts++;
  }
}

const { values } = parseArgs({ options: { asynchronous: { type: 'boolean', default: false } } });
const folder = mkdtempSync(join(tmpdir(), 'sluice-failover-'));
const receiptsFolder = join(folder, 'receipts');
const servers: Server[] = [];
const address = new TcpProxy();
const replication = new TcpProxy();
let count = 0;
mkdirSync(receiptsFolder);
try {
  await run();
} finally {
  await Promise.all([address.close(), replication.close()]);
  for (const server of servers) execFileSync(SCRIPT, ['stop', server.folder]);
  rmSync(folder, { recursive: true, force: true });
}
console.log(count === 0 ? 'Every receipt is in the books.' : `${count} findings.`);
process.exit(count === 0 || values.asynchronous ? 0 : 1);

async function run(): Promise<void> {
  const [primary, replica] = [await Server.start('primary', '--server-id=1'), await replicaServer()];
  await follow(replica, primary);
  address.target = { port: primary.port };
  const url = `mysql://root@127.0.0.1:${await address.listen()}/sluice`;
  const site = await makeSite(CONFIGURATION, { DATABASE_URL: url });
  const { apiKey } = await site.openAccount('client', '10000');
  await refusedOnReplica(replica);
  const gateway = await site.start();
  const load = new Load(gateway.url, apiKey);
  try {
    await load.more(RECEIPTS);
    await primary.kill();
    const killedAt = Date.now();
    await promote(replica);
    address.target = { port: replica.port };
    address.cut();
    if (values.asynchronous) return await load.end().then(() => compare('after an asynchronous failover', site));
    await load.more(1);
    console.log(`The first receipt came ${Date.now() - killedAt} ms after the primary was killed.`);
    await load.more(RECEIPTS);
    await compare('after a failover', site);
    await pointInTime(site, { load, server: replica });
  } finally {
    await load.end();
    await gateway.kill();
    site.remove();
  }
}

function replicaServer(): Promise<Server> {
  return Server.start('replica', '--server-id=2', '--read-only', '--rpl-semi-sync-slave-enabled');
}

/** Makes one the replica of the other, and that one wait for it. */
async function follow(replica: Server, primary: Server): Promise<void> {
  replication.target = { port: primary.port };
  const port = await replication.listen();
  if (values.asynchronous) replication.delay(BEHIND_MS, 'back');
  await replica.run(
    `CHANGE MASTER TO master_host = '127.0.0.1', master_port = ${port}, master_user = 'root', master_use_gtid = slave_pos`,
    'START SLAVE',
  );
  if (!values.asynchronous) await primary.run(...SEMI_SYNC_PRIMARY);
}

/** Ends the replication when everything that arrived is applied, and takes writes. */
async function promote(replica: Server): Promise<void> {
  await replica.run('STOP SLAVE IO_THREAD');
  for (;;) {
    const [row] = await replica.run('SHOW SLAVE STATUS');
    if (String(row?.Slave_SQL_Running_State).includes('has read all relay log')) break;
    await sleep(20);
  }
  await replica.run('STOP SLAVE', 'RESET SLAVE ALL', 'SET GLOBAL read_only = OFF');
}

async function refusedOnReplica(replica: Server): Promise<void> {
  const other = await makeSite(CONFIGURATION, { DATABASE_URL: replica.url });
  const error = await other.start().then(
    () => 'it started',
    (reason: Error) => reason.message,
  );
  other.remove();
  if (!/its read_only is ON, as on a replica; set DATABASE_URL to the primary/.test(error))
    found(`on a replica: ${error}`);
}

/** Somebody drops a table under load; a new server gets the dump and the binary log until then. */
async function pointInTime(site: Site, { load, server }: { load: Load; server: Server }): Promise<void> {
  const dump = server.tool('mariadb-dump', ['--single-transaction', '--master-data=2', '--databases', 'sluice']);
  const [, file = '', at = ''] = /MASTER_LOG_FILE='([^']+)', MASTER_LOG_POS=(\d+)/.exec(dump) ?? [];
  await load.more(RECEIPTS);
  await load.end();
  const mistake = await server.position();
  await server.run('DROP TABLE usage_records');
  const restored = await Server.start('restored', '--server-id=3');
  restored.tool('mariadb', [], dump);
  const path = join(server.folder, 'data', file);
  const args = ['--no-defaults', `--start-position=${at}`, `--stop-position=${mistake.at}`, path];
  const log = execFileSync('mariadb-binlog', args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
  restored.tool('mariadb', ['--binary-mode'], log);
  address.target = { port: restored.port };
  address.cut();
  await compare('from a dump and the binary log', site);
}

async function compare(what: string, site: Site): Promise<void> {
  const { json } = await site.command('audit', '--with', receiptsFolder);
  const findings = Array.isArray(json.findings) ? json.findings : [json];
  console.log(`${what}: ${json.receipts} receipts, ${findings.length} findings`);
  for (const finding of findings) found(`${what}: ${JSON.stringify(finding)}`);
}

function found(what: string): void {
  count++;
  if (count <= 5) console.log(`FOUND ${what}`);
}
