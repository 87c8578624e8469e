/**
 * Compares what clients were answered with the books of the gateway, once nothing runs: nothing lost, nothing charged twice,
 * nothing charged that was refused, no charge without a client that knows of it. The rows are read from the database itself,
 * with no code of the gateway; the owner of each account must read the same over HTTP.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { Site } from '#testing/gateway-process.ts';
import type { RunAccount } from './accounts.ts';
import { audited } from './audit.ts';
import type { Client } from './client.ts';
import { readBooks } from './database.ts';
import type { Ledger } from './ledger.ts';

/** A run, as far as its books are concerned. */
export interface Run {
  readonly site: Pick<Site, 'command' | 'environment'>;
  readonly client: Client;
  readonly ledger: Ledger;
  /** All whose requests the ledger knows. */
  readonly accounts: readonly RunAccount[];
}

/** How the books stand. */
export interface Books {
  readonly findings: readonly string[];
  readonly orders: number;
  readonly charged: number;
  /** Charged orders whose caller left, or was cut off, before a receipt. */
  readonly unseen: number;
}

/** The same with what the audit looked at. */
export interface Judged extends Books {
  readonly audited: number;
}

/** What the database has of one charge. */
interface Charge {
  readonly id: string;
  readonly account: string;
  readonly nano: number;
}

/** Of `GET /v1/usage`; the totals are on the first page. */
export interface UsagePage {
  readonly balance_usd?: number;
  readonly total_charged_usd?: number;
  readonly total_requests?: number;
  readonly data: readonly { readonly order_id: string; readonly charged_usd: number }[];
  readonly next_cursor: string | null;
}

const NANO = 1e9;
const IDLE_MS_MAX = 180_000;
const EXAMPLES = 5;

/** What the gateway stored of the accounts of the run, and what the ledger knows. */
const TABLES = `
  CREATE TABLE known (id, account, credited INTEGER);
  CREATE TABLE accounts (id, balance INTEGER, held INTEGER);
  CREATE TABLE orders (id PRIMARY KEY, status);
  CREATE TABLE usage_records (id, owner, nano INTEGER, status, batch, custom_id);
  CREATE TABLE batches (id PRIMARY KEY, owner, status);
  CREATE TABLE receipts (id PRIMARY KEY, nano INTEGER);
  CREATE TABLE accepted (id PRIMARY KEY, account);
  CREATE TABLE refused (id PRIMARY KEY, answer);
  CREATE TABLE canceled (id PRIMARY KEY, lane);
  CREATE TABLE unknown (id PRIMARY KEY);
  CREATE TABLE keys (key, id);
  CREATE TABLE sent_batches (id PRIMARY KEY);
  CREATE TABLE blind (account, times INTEGER);
  CREATE TABLE blind_batches (account, times INTEGER);
  CREATE INDEX usage_by_id ON usage_records (id);
  CREATE VIEW charges AS SELECT usage_records.*, account FROM usage_records JOIN known ON known.id = owner`;

/** Those that are read from the database, and how. */
const READ = {
  accounts: 'SELECT id, balance, held FROM accounts',
  orders: 'SELECT id, status FROM orders',
  batches: 'SELECT id, account_id, status FROM batches',
  usage_records: `SELECT u.order_id, u.account_id, u.charged, o.status, o.batch_id, o.custom_id
    FROM usage_records u LEFT JOIN orders o ON o.id = u.order_id`,
};

/** What is wrong, each with a query for the ids and a word about each of them. */
const WRONG: readonly (readonly [what: string, query: string])[] = [
  ['receipts are in no book', 'SELECT * FROM receipts WHERE id NOT IN (SELECT id FROM charges)'],
  ['receipts differ from the books', 'SELECT r.* FROM receipts r JOIN charges c USING (id) WHERE r.nano <> c.nano'],
  ['orders were refused and charged', 'SELECT * FROM refused WHERE id IN (SELECT id FROM charges)'],
  ['charged orders are not done', "SELECT id, status FROM charges WHERE status IS NOT 'done'"],
  [
    'keys were not charged exactly once',
    `SELECT key, COUNT(DISTINCT charges.id) AS times FROM keys LEFT JOIN charges USING (id)
      GROUP BY key HAVING times <> 1`,
  ],
  [
    'lines were charged more than once',
    `SELECT batch || ' ' || custom_id, COUNT(*) AS times FROM charges WHERE batch IS NOT NULL
      GROUP BY batch, custom_id HAVING times > 1`,
  ],
  ['orders were charged more than once', 'SELECT id, COUNT(*) AS times FROM charges GROUP BY id HAVING times > 1'],
  ['orders have not ended', "SELECT * FROM orders WHERE status IN ('queued', 'executing')"],
  ['accepted orders do not exist', 'SELECT * FROM accepted WHERE id NOT IN (SELECT id FROM orders)'],
  [
    'orders were canceled and are not',
    "SELECT id, lane FROM canceled LEFT JOIN orders USING (id) WHERE status IS NOT 'canceled'",
  ],
  [
    'batches have not ended',
    "SELECT id, status FROM batches WHERE status IN ('validating', 'in_progress', 'cancelling')",
  ],
  ['batches do not exist', "SELECT id, '' FROM sent_batches WHERE id NOT IN (SELECT id FROM batches)"],
];

/** Queries for whole sentences. An account may have as many charges and batches more as its callers were cut off. */
const SENTENCES: readonly string[] = [
  `SELECT 'account ' || account || ': ' || COUNT(*) || ' charges that no client saw, and only ' ||
      COALESCE(times, 0) || ' requests whose caller learned nothing, such as ' || MIN(id)
    FROM charges LEFT JOIN blind USING (account)
    WHERE id NOT IN (SELECT id FROM receipts UNION SELECT id FROM unknown UNION SELECT id FROM accepted
        UNION SELECT id FROM keys) AND COALESCE(batch, '') NOT IN (SELECT id FROM batches)
    GROUP BY account HAVING COUNT(*) > COALESCE(times, 0)`,
  `SELECT 'account ' || COALESCE(account, owner) || ': ' || COUNT(*) || ' batches that no client saw, and ' ||
      COALESCE(times, 0) || ' cut answers'
    FROM batches b LEFT JOIN known ON known.id = owner LEFT JOIN blind_batches USING (account)
    WHERE b.id NOT IN (SELECT id FROM sent_batches) GROUP BY owner HAVING COUNT(*) > COALESCE(times, 0)`,
  `SELECT 'account ' || account || ': ' || credited || ' credited, ' || charged || ' charged, ' || balance ||
      ' left (nano-dollars)'
    FROM (SELECT *, (SELECT COALESCE(SUM(nano), 0) FROM charges c WHERE c.account = known.account) AS charged FROM known)
      JOIN accounts USING (id) WHERE balance + charged <> credited`,
  // Also of accounts beyond those of the run.
  `SELECT 'account ' || COALESCE(account, id) || ' still holds ' || held || ' nano-dollars'
    FROM accounts LEFT JOIN known USING (id) WHERE held <> 0`,
];

/**
 * Waits until nothing runs, audits, compares everything, and gives the ledger the findings. `stop` ends a gateway whose
 * own orders, such as probes, would run while the books are read.
 */
export async function judge(
  { site, client, ledger, accounts }: Run,
  stop: () => Promise<void> = async () => {},
): Promise<Judged> {
  const findings = await untilIdle(client, accounts);
  const shown: [RunAccount, UsagePage[]][] = [];
  for (const account of accounts) shown.push([account, await usagePages(client, account)]);
  await stop();
  const audit = await audited(site);
  const books = await compareBooks(String(site.environment.DATABASE_URL), accounts, ledger);
  findings.push(...audit.findings, ...books.findings);
  for (const [account, pages] of shown) findings.push(...compareShown(account, pages, books.charges));
  for (const finding of findings) ledger.found(finding);
  return { ...books, findings, audited: audit.orders };
}

/** Waits until nothing is queued or executing. A sentence for each account where that takes more than three minutes. */
export async function untilIdle(client: Client, accounts: readonly RunAccount[]): Promise<string[]> {
  const deadline = Date.now() + IDLE_MS_MAX;
  const findings: string[] = [];
  for (const account of accounts) {
    for (;;) {
      const answer = await client.ask(account, '/v1/account');
      const { orders } = JSON.parse(answer?.text ?? '');
      if (orders.queued === 0 && orders.executing === 0) break;
      if (Date.now() > deadline) {
        findings.push(`account ${account.account}: orders still queued or executing: ${JSON.stringify(orders)}`);
        break;
      }
      await sleep(50);
    }
  }
  return findings;
}

/** Compares the ledger with the rows. `accounts` are all whose requests it knows. */
export async function compareBooks(
  databaseUrl: string,
  accounts: readonly RunAccount[],
  ledger: Ledger,
): Promise<Books & { readonly charges: readonly Charge[] }> {
  const all = await besideEachOther(databaseUrl, accounts, ledger);
  const lists = WRONG.flatMap(([what, query]) => some(what, all.prepare(query).raw().all() as [string, unknown][]));
  const sentences = SENTENCES.flatMap((query) => all.prepare(query).pluck().all() as string[]);
  const count = (rows: string) => all.prepare(`SELECT COUNT(*) FROM ${rows}`).pluck().get() as number;
  const charges = all.prepare('SELECT id, account, nano FROM charges').all() as Charge[];
  const unseen = count('charges WHERE id NOT IN (SELECT id FROM receipts)');
  const orders = count('orders');
  all.close();
  return { findings: [...lists, ...sentences], orders, charged: charges.length, unseen, charges };
}

/** What the gateway stored and what clients were answered, in one database in memory. */
async function besideEachOther(
  databaseUrl: string,
  accounts: readonly RunAccount[],
  ledger: Ledger,
): Promise<Sqlite.Database> {
  const all = new Sqlite(':memory:');
  all.exec(TABLES);
  const { charges: receipts, accepted, refused, canceled, unknown, blind, blindBatches: blind_batches } = ledger;
  const rows: Record<string, Iterable<unknown>> = {
    known: accounts.map(({ id, account, creditedNano }) => [id, account, creditedNano]),
    keys: [...ledger.keys].flatMap(([key, orders]) => [...orders].map((id) => [key, id])),
    sent_batches: ledger.batches.keys(),
    ...{ receipts, accepted, refused, canceled, unknown, blind, blind_batches },
  };
  for (const [table, query] of Object.entries(READ))
    rows[table] = (await readBooks(databaseUrl, query)).map((row) => Object.values(row));
  for (const [table, own] of Object.entries(rows)) {
    const lists = Array.from(own, (row) => [row].flat());
    const insert = lists[0] && all.prepare(`INSERT INTO ${table} VALUES (${lists[0].map(() => '?').join()})`);
    if (insert) all.transaction(() => lists.map((list) => insert.run(...list)))();
  }
  return all;
}

/** Compares what the owner reads over HTTP with the charges in the database. */
export function compareShown(
  { account, creditedNano }: RunAccount,
  pages: readonly UsagePage[],
  all: readonly Charge[],
): string[] {
  const charges = all.filter((charge) => charge.account === account);
  const left = new Map(charges.map(({ id, nano }) => [id, nano]));
  const wrong: [string, unknown][] = [];
  for (const { order_id, charged_usd } of pages.flatMap(({ data }) => data)) {
    if (left.get(order_id) !== nanoOf(charged_usd)) wrong.push([order_id, charged_usd]);
    left.delete(order_id);
  }
  const findings = [...some('usage records differ', wrong), ...some('charges have no usage record', [...left])];
  const sum = charges.reduce((total, { nano }) => total + nano, 0);
  const [charged, balance] = [nanoOf(pages[0]?.total_charged_usd), nanoOf(pages[0]?.balance_usd)];
  const total = pages[0]?.total_requests;
  if (charged !== sum || balance + charged !== creditedNano || total !== charges.length)
    findings.push(`${total} requests, ${charged} charged and ${balance} left are stated (nano-dollars)`);
  return findings.map((finding) => `account ${account}: ${finding}`);
}

function nanoOf(usd = Number.NaN): number {
  return Math.round(usd * NANO);
}

async function usagePages(client: Client, account: RunAccount): Promise<UsagePage[]> {
  const pages: UsagePage[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null) {
    const after: string = cursor && `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await client.ask(account, `/v1/usage?limit=200${after}`);
    if (answer?.status !== 200) throw new Error(`usage of ${account.account}: ${answer?.status} ${answer?.text}`);
    pages.push(JSON.parse(answer.text));
  }
  return pages;
}

function some(what: string, found: readonly (readonly [string, unknown])[]): string[] {
  if (found.length === 0) return [];
  const few = found.slice(0, EXAMPLES).map(([id, more]) => `${id} ${more}`);
  return [`${found.length} ${what}, such as ${few.join(', ')}`];
}
