/**
 * Compares what clients were told with the books of the gateway, once nothing runs: nothing lost, nothing charged twice,
 * nothing charged that was refused, no charge without a client that knows of it. The rows are read from the database itself,
 * with no code of the gateway; the owner of each account must read the same over HTTP.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Site } from '#testing/gateway-process.ts';
import type { RunAccount } from './accounts.ts';
import { audited } from './audit.ts';
import type { Client } from './client.ts';
import { type BookRow, readBooks } from './database.ts';
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

interface Charge {
  readonly orderId: string;
  readonly account: string;
  readonly nano: number;
  readonly status: string;
  readonly batchId: string | null;
  readonly customId: string | null;
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
const CHARGES = `SELECT u.order_id, u.account_id, u.charged, o.status, o.batch_id, o.custom_id
  FROM usage_records u LEFT JOIN orders o ON o.id = u.order_id`;
const EXAMPLES = 5;

/**
 * Waits until nothing runs, audits, compares everything, and tells the ledger the findings. `stop` ends a gateway whose
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
  const names = new Map(accounts.map(({ id, account }) => [id, account]));
  const charges = (await readBooks(databaseUrl, CHARGES)).flatMap((row) => chargeOf(row, names));
  const orders = await readBooks(databaseUrl, 'SELECT id, status FROM orders');
  const batches = await readBooks(databaseUrl, 'SELECT id, account_id, status FROM batches');
  const rows = await readBooks(databaseUrl, 'SELECT id, balance, held FROM accounts');
  const unseen = charges.filter(({ orderId }) => !ledger.charges.has(orderId));
  const findings = [
    ...told(charges, ledger),
    ...secret(unseen, ledger, new Set(batches.map(({ id }) => String(id)))),
    ...ofKeys(charges, ledger),
    ...ofLines(charges),
    ...ended(orders, ledger),
    ...endedBatches(batches, names, ledger),
    ...balances(rows, accounts, charges),
  ];
  return { orders: orders.length, charged: charges.length, unseen: unseen.length, findings, charges };
}

/** Compares what the owner reads over HTTP with the charges in the database. */
export function compareShown(
  { account, creditedNano }: RunAccount,
  pages: readonly UsagePage[],
  all: readonly Pick<Charge, 'account' | 'orderId' | 'nano'>[],
): string[] {
  const charges = all.filter((charge) => charge.account === account);
  const left = new Map(charges.map(({ orderId, nano }) => [orderId, nano]));
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

function chargeOf(row: BookRow, names: ReadonlyMap<string, string>): Charge[] {
  const account = names.get(String(row.account_id));
  if (account === undefined) return [];
  const text = (value: unknown) => (value === null ? null : String(value));
  return [
    {
      ...{ orderId: String(row.order_id), account, nano: Number(row.charged), status: String(row.status) },
      ...{ batchId: text(row.batch_id), customId: text(row.custom_id) },
    },
  ];
}

/** Every receipt is in the books, and nothing that was refused is. */
function told(charges: readonly Charge[], ledger: Ledger): string[] {
  const nanos = new Map(charges.map(({ orderId, nano }) => [orderId, nano]));
  const undone = charges.filter(({ status }) => status !== 'done');
  return [
    ...some(
      'receipts are in no book',
      [...ledger.charges].filter(([id]) => !nanos.has(id)),
    ),
    ...some(
      'receipts differ from the books',
      [...ledger.charges].filter(([id, nano]) => nanos.has(id) && nanos.get(id) !== nano),
    ),
    ...some(
      'orders were refused and charged',
      [...ledger.refused].filter(([id]) => nanos.has(id)),
    ),
    ...some(
      'charged orders are not done',
      undone.map(({ orderId, status }) => [orderId, status]),
    ),
  ];
}

/** A charge without a receipt has a caller who left, was cut off or was told that it is uncertain. */
function secret(unseen: readonly Charge[], ledger: Ledger, batches: ReadonlySet<string>): string[] {
  const keyed = new Set([...ledger.keys.values()].flatMap((orders) => [...orders]));
  const isExplained = ({ orderId, batchId }: Charge) =>
    [ledger.unknown, ledger.accepted, keyed].some((known) => known.has(orderId)) || (batchId && batches.has(batchId));
  const strange = Map.groupBy(
    unseen.filter((charge) => !isExplained(charge)),
    ({ account }) => account,
  );
  return [...strange].flatMap(([account, charges]) => {
    const blind = ledger.blind.get(account) ?? 0;
    if (charges.length <= blind) return [];
    const few = charges.slice(0, EXAMPLES).map(({ orderId }) => orderId);
    const why = `and only ${blind} requests whose caller learned nothing, such as ${few.join(' ')}`;
    return [`account ${account}: ${charges.length} charges that nobody was told of, ${why}`];
  });
}

/** A key that was answered was charged, once. Charges of the account beyond its keys are found as secret ones. */
function ofKeys(charges: readonly Charge[], ledger: Ledger): string[] {
  const charged = new Set(charges.map(({ orderId }) => orderId));
  const wrong = [...ledger.keys]
    .map(([key, orders]): [string, number] => [key, [...orders].filter((id) => charged.has(id)).length])
    .filter(([, times]) => times !== 1);
  return some('keys were not charged exactly once', wrong);
}

/** An order, and a line of a batch, is charged at most once. */
function ofLines(charges: readonly Charge[]): string[] {
  const lines = charges.filter(({ batchId }) => batchId !== null).map((line) => `${line.batchId} ${line.customId}`);
  const orders = charges.map(({ orderId }) => orderId);
  return [
    ...some('lines were charged more than once', repeated(lines)),
    ...some('orders were charged more than once', repeated(orders)),
  ];
}

function repeated(all: readonly string[]): [string, number][] {
  const times = [...Map.groupBy(all, (each) => each)].map(([each, { length }]): [string, number] => [each, length]);
  return times.filter(([, count]) => count > 1);
}

/** Nothing waits or runs, no accepted order is missing, and each that was canceled is. */
function ended(orders: readonly BookRow[], ledger: Ledger): string[] {
  const statuses = new Map(orders.map(({ id, status }) => [String(id), String(status)]));
  return [
    ...some(
      'orders have not ended',
      [...statuses].filter(([, status]) => status === 'queued' || status === 'executing'),
    ),
    ...some(
      'accepted orders do not exist',
      [...ledger.accepted].filter(([id]) => !statuses.has(id)),
    ),
    ...some(
      'orders were canceled and are not',
      [...ledger.canceled].filter(([id]) => statuses.get(id) !== 'canceled'),
    ),
  ];
}

function endedBatches(batches: readonly BookRow[], names: ReadonlyMap<string, string>, ledger: Ledger): string[] {
  const statuses = new Map(batches.map(({ id, status }) => [String(id), String(status)]));
  const unknown = batches.filter(({ id }) => !ledger.batches.has(String(id)));
  const findings = [
    ...some(
      'batches have not ended',
      [...statuses].filter(([, status]) => ['validating', 'in_progress', 'cancelling'].includes(status)),
    ),
    ...some(
      'batches do not exist',
      [...ledger.batches.keys()].filter((id) => !statuses.has(id)).map((id) => [id, '']),
    ),
  ];
  for (const [account, own] of Map.groupBy(unknown, (row) => names.get(String(row.account_id)) ?? '')) {
    const blind = ledger.blindBatches.get(account) ?? 0;
    if (own.length > blind)
      findings.push(`account ${account}: ${own.length} batches that nobody was told of, and ${blind} cut answers`);
  }
  return findings;
}

/** What was credited is what was charged and what is left, and nothing is held, also of accounts beyond these. */
function balances(rows: readonly BookRow[], accounts: readonly RunAccount[], charges: readonly Charge[]): string[] {
  const findings: string[] = [];
  for (const { id, balance, held } of rows) {
    const { account, creditedNano } = accounts.find((each) => each.id === id) ?? { account: id };
    const chargedNano = charges.filter((charge) => charge.account === account).reduce((sum, { nano }) => sum + nano, 0);
    if (creditedNano !== undefined && Number(balance) + chargedNano !== creditedNano)
      findings.push(
        `account ${account}: ${creditedNano} credited, ${chargedNano} charged, ${balance} left (nano-dollars)`,
      );
    if (Number(held) !== 0) findings.push(`account ${account} still holds ${held} nano-dollars`);
  }
  return findings;
}

function some(what: string, found: readonly (readonly [string, unknown])[]): string[] {
  if (found.length === 0) return [];
  const few = found.slice(0, EXAMPLES).map(([id, more]) => `${id} ${more}`);
  return [`${found.length} ${what}, such as ${few.join(', ')}`];
}
