/**
 * Compares what clients were told during a hostile soak with the database: nothing lost, nothing charged twice, nothing
 * charged that was refused, nothing charged of which nobody knows. Call it when nothing runs any more.
 */
import { type BookRow, readBooks } from '../../books/database.ts';
import type { SoakAccount } from './accounts.ts';
import type { Ledger } from './ledger.ts';

/** How the books stand. */
export interface Books {
  readonly findings: readonly string[];
  readonly orders: number;
  readonly charged: number;
  /** Charged orders whose caller left, or was cut off, before a receipt. */
  readonly unseen: number;
}

interface Charge {
  readonly orderId: string;
  readonly account: string;
  readonly nano: number;
  readonly status: string;
  readonly batchId: string | null;
  readonly customId: string | null;
}

const CHARGES = `SELECT u.order_id, u.account_id, u.charged, o.status, o.batch_id, o.custom_id
  FROM usage_records u LEFT JOIN orders o ON o.id = u.order_id`;
const EXAMPLES = 5;

/** Compares. `accounts` are all but the gateway's own. */
export async function compareBooks(
  databaseUrl: string,
  accounts: readonly SoakAccount[],
  ledger: Ledger,
): Promise<Books> {
  const names = new Map(accounts.map(({ id, account }) => [id, account]));
  const charges = (await readBooks(databaseUrl, CHARGES))
    .filter(({ account_id }) => names.has(String(account_id)))
    .map((row) => chargeOf(row, names));
  const orders = await readBooks(databaseUrl, 'SELECT id, status, account_id FROM orders');
  const batches = await readBooks(databaseUrl, 'SELECT id, account_id, status FROM batches');
  const unseen = charges.filter(({ orderId }) => !ledger.charges.has(orderId));
  return {
    orders: orders.length,
    charged: charges.length,
    unseen: unseen.length,
    findings: [
      ...told(charges, ledger),
      ...secret(unseen, ledger, new Set(batches.map(({ id }) => String(id)))),
      ...ofKeys(charges, ledger),
      ...ofLines(charges),
      ...ended(orders, ledger),
      ...endedBatches(batches, names, ledger),
      ...(await balances(databaseUrl, accounts, charges)),
    ],
  };
}

function chargeOf(row: BookRow, names: ReadonlyMap<string, string>): Charge {
  return {
    orderId: String(row.order_id),
    account: names.get(String(row.account_id)) ?? '',
    nano: Number(row.charged),
    status: String(row.status),
    batchId: row.batch_id === null ? null : String(row.batch_id),
    customId: row.custom_id === null ? null : String(row.custom_id),
  };
}

/** Every receipt is in the books, and nothing that was refused is. */
function told(charges: readonly Charge[], ledger: Ledger): string[] {
  const nanos = new Map(charges.map(({ orderId, nano }) => [orderId, nano]));
  const lost = [...ledger.charges].filter(([id]) => !nanos.has(id));
  const other = [...ledger.charges].filter(([id, nano]) => nanos.has(id) && nanos.get(id) !== nano);
  const refused = [...ledger.refused].filter(([id]) => nanos.has(id));
  const undone = charges.filter(({ status }) => status !== 'done');
  return [
    ...some('receipts are in no book', lost),
    ...some('receipts differ from the books', other),
    ...some('orders were refused and charged', refused),
    ...some(
      'charged orders are not done',
      undone.map(({ orderId, status }) => [orderId, status]),
    ),
  ];
}

/** A charge without a receipt has a caller who left, was cut off or was told that it is uncertain. */
function secret(unseen: readonly Charge[], ledger: Ledger, batches: ReadonlySet<string>): string[] {
  const unexplained = unseen.filter(
    ({ orderId, batchId }) =>
      !ledger.unknown.has(orderId) && !ledger.accepted.has(orderId) && !(batchId && batches.has(batchId)),
  );
  const keyed = new Set([...ledger.keys.values()].flatMap((orders) => [...orders]));
  const findings: string[] = [];
  for (const [account, own] of Object.entries(Object.groupBy(unexplained, (charge) => charge.account))) {
    const strange = (own ?? []).filter(({ orderId }) => !keyed.has(orderId));
    const blind = ledger.blind.get(account) ?? 0;
    if (strange.length > blind)
      findings.push(
        `account ${account}: ${strange.length} charges that nobody was told of, and only ${blind} requests whose caller learned nothing, ` +
          `such as ${strange
            .slice(0, EXAMPLES)
            .map(({ orderId }) => orderId)
            .join(' ')}`,
      );
  }
  return findings;
}

/** A key that was answered was charged, once. Charges of the account beyond its keys are found as secret ones. */
function ofKeys(charges: readonly Charge[], ledger: Ledger): string[] {
  const charged = new Set(charges.map(({ orderId }) => orderId));
  const wrong = [...ledger.keys]
    .map(([key, orders]): [string, number] => [key, [...orders].filter((id) => charged.has(id)).length])
    .filter(([, times]) => times !== 1);
  return some('keys were not charged exactly once', wrong);
}

/** A line of a batch is charged at most once. */
function ofLines(charges: readonly Charge[]): string[] {
  const times = new Map<string, number>();
  for (const { batchId, customId } of charges) {
    if (batchId === null) continue;
    const line = `${batchId} ${customId}`;
    times.set(line, (times.get(line) ?? 0) + 1);
  }
  return some(
    'lines were charged more than once',
    [...times].filter(([, count]) => count > 1),
  );
}

/** Nothing waits or runs, and no accepted order is missing. */
function ended(orders: readonly BookRow[], ledger: Ledger): string[] {
  const live = orders.filter(({ status }) => status === 'queued' || status === 'executing');
  const ids = new Set(orders.map(({ id }) => String(id)));
  const missing = [...ledger.accepted].filter(([id]) => !ids.has(id));
  return [
    ...some(
      'orders have not ended',
      live.map(({ id, status }) => [String(id), String(status)]),
    ),
    ...some('accepted orders do not exist', missing),
  ];
}

function endedBatches(batches: readonly BookRow[], names: ReadonlyMap<string, string>, ledger: Ledger): string[] {
  const active = batches.filter(({ status }) => ['validating', 'in_progress', 'cancelling'].includes(String(status)));
  const ids = new Set(batches.map(({ id }) => String(id)));
  const missing = [...ledger.batches.keys()].filter((id) => !ids.has(id));
  const unknown = batches.filter(({ id }) => !ledger.batches.has(String(id)));
  const findings = [
    ...some(
      'batches have not ended',
      active.map(({ id, status }) => [String(id), String(status)]),
    ),
    ...some(
      'batches do not exist',
      missing.map((id) => [id, '']),
    ),
  ];
  for (const [account, own] of Object.entries(
    Object.groupBy(unknown, (row) => names.get(String(row.account_id)) ?? ''),
  )) {
    const blind = ledger.blindBatches.get(account) ?? 0;
    if ((own?.length ?? 0) > blind)
      findings.push(`account ${account}: ${own?.length} batches that nobody was told of, and ${blind} cut answers`);
  }
  return findings;
}

/** What was credited is what was charged and what is left. */
async function balances(
  databaseUrl: string,
  accounts: readonly SoakAccount[],
  charges: readonly Charge[],
): Promise<string[]> {
  const rows = await readBooks(databaseUrl, 'SELECT id, balance, held FROM accounts');
  const findings: string[] = [];
  for (const { id, account, creditedNano } of accounts) {
    const row = rows.find((each) => each.id === id);
    const chargedNano = charges.filter((charge) => charge.account === account).reduce((sum, { nano }) => sum + nano, 0);
    if (Number(row?.balance) + chargedNano !== creditedNano)
      findings.push(
        `account ${account}: ${creditedNano} credited, ${chargedNano} charged, ${row?.balance} left (nano-dollars)`,
      );
    if (Number(row?.held) !== 0) findings.push(`account ${account} still holds ${row?.held} nano-dollars`);
  }
  return findings;
}

function some(what: string, found: readonly (readonly [string, unknown])[]): string[] {
  if (found.length === 0) return [];
  return [
    `${found.length} ${what}, such as ${found
      .slice(0, EXAMPLES)
      .map(([id, more]) => `${id} ${more}`)
      .join(', ')}`,
  ];
}
