/** `sluice account …`: opening accounts, suspending them, and moving money in and out. */
import { COMMAND_LINE } from '#access/member.ts';
import type { Account } from '#access/principal.ts';
import type { Moved } from '#accounts/ledger/transfers.ts';
import { PaymentStore, type RefusedEvent } from '#accounts/payments/payment-store.ts';
import type { ListedPayment } from '#accounts/payments/provider.ts';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { formatPrice, formatUsd, type NanoUsd, nanoToUsd, type PriceNano, priceToUsd } from '#base/money.ts';
import { type OperatorStore, withoutPassword } from './operator-store.ts';
import { type CommandResult, facts, faint, strong, table, timeText, WrongValue, wrong } from './output.ts';

const PAGE = 500;

/** `account create`: opens an account, with a first top-up unless `credit` is null. */
export async function createAccount(
  { accounts, transfers }: OperatorStore,
  request: { name: string; credit: NanoUsd | null; force: boolean; retentionDays: number; logPayloads: boolean },
): Promise<CommandResult> {
  const { name, credit, force, retentionDays, logPayloads } = request;
  const account = await accounts.create({ name, retentionDays, logPayloads }, COMMAND_LINE);
  if (credit !== null) await transfers.credit(account.id, credit, { reason: 'first', force }, COMMAND_LINE);
  const opened = await accounts.show(account.id);
  return { json: wireAccount(opened), text: `Account ${strong(opened.id)} is open.\n${describe(opened)}` };
}

/** `account list`: every account, also the house account. */
export async function listAccounts({ accounts, db }: OperatorStore): Promise<CommandResult> {
  const all: Account[] = [];
  for (let page: Account[] | null = null; page === null || page.length === PAGE; ) {
    page = await accounts.list({ limit: PAGE, after: all.at(-1)?.id ?? null });
    all.push(...page);
  }
  if (all.length === 0) {
    // It may be the database of another folder: the text says which one it is.
    const { address } = db;
    const where = address.type === 'sqlite' ? `sqlite:${address.filename}` : withoutPassword(address.url);
    return { json: { accounts: [] }, text: `No account is in ${where} yet; npx sluice account create NAME opens one.` };
  }
  const rows = all.map((account) => [
    account.id,
    account.name,
    account.status,
    formatUsd(account.balance),
    formatUsd(account.held),
    timeText(account.createdAtMs),
  ]);
  return {
    json: { accounts: all.map(wireAccount) },
    text: table(['ACCOUNT', 'NAME', 'STATUS', 'BALANCE USD', 'HELD USD', 'CREATED'], rows),
  };
}

/** `account show`. */
export async function showAccount({ accounts }: OperatorStore, id: string): Promise<CommandResult> {
  const account = await accounts.show(id);
  return { json: wireAccount(account), text: describe(account) };
}

/** `account suspend` and `account resume`. */
export async function changeStatus(
  { accounts }: OperatorStore,
  request: { id: string; to: 'suspended' | 'active' },
): Promise<CommandResult> {
  const account =
    request.to === 'suspended'
      ? await accounts.suspend(request.id, COMMAND_LINE)
      : await accounts.resume(request.id, COMMAND_LINE);
  return { json: wireAccount(account), text: `Account ${strong(account.id)} is ${account.status}.` };
}

/** `account update`: the price limits given, merged into those that there are. */
export async function updateAccount(
  { accounts }: OperatorStore,
  { id, priceLimits }: { readonly id: string; readonly priceLimits: Readonly<Record<string, PriceNano>> },
): Promise<CommandResult> {
  if (Object.keys(priceLimits).length === 0) throw new WrongValue('Nothing is to be changed: give --price-limit.');
  const account = await accounts.setDefaults(id, { priceLimits });
  return { json: wireAccount(account), text: `Account ${strong(id)} is changed.\n${describe(account)}` };
}

/** `account close`: for good, once no order of it waits or runs. What it has left is paid back outside. */
export async function closeAccount({ accounts, own }: OperatorStore, id: string): Promise<CommandResult> {
  await own.close(id, null, COMMAND_LINE);
  const account = await accounts.show(id);
  const text = `Account ${strong(id)} is closed: its keys are revoked, and its members removed. $${formatUsd(account.balance)} are left in it.`;
  return { json: wireAccount(account), text };
}

/** A top-up, a refund or a debit. */
interface TransferRequest {
  readonly id: string;
  readonly amount: NanoUsd;
  readonly reason?: string;
  readonly idempotencyKey?: string;
}

/** `account credit`: a top-up. */
export async function creditAccount(
  { transfers }: OperatorStore,
  request: TransferRequest & { force: boolean },
): Promise<CommandResult> {
  return moved(await transfers.credit(request.id, request.amount, request, COMMAND_LINE), 'credited');
}

/** `account refund`: money back, for one order or for none. */
export async function refundAccount(
  { transfers }: OperatorStore,
  request: TransferRequest & { orderId?: string },
): Promise<CommandResult> {
  return moved(await transfers.refund(request.id, request.amount, request, COMMAND_LINE), 'refunded');
}

/** `account debit`: takes money back that is free of holds. */
export async function debitAccount({ transfers }: OperatorStore, request: TransferRequest): Promise<CommandResult> {
  return moved(await transfers.debit(request.id, request.amount, request, COMMAND_LINE), 'taken back');
}

function moved({ entry, balance, repeated }: Moved, done: string): CommandResult {
  const again = repeated ? ' earlier with this idempotency key; no money was moved now' : '';
  return {
    json: {
      entry_id: entry.id,
      account_id: entry.accountId,
      kind: entry.kind,
      amount_usd: nanoToUsd(entry.amount),
      order_id: entry.orderId,
      balance_usd: nanoToUsd(balance),
      repeated,
    },
    text: `$${formatUsd(entry.amount < 0n ? -entry.amount : entry.amount)} was ${done}${again}. The balance is $${formatUsd(balance)}.`,
  };
}

function describe(account: Account): string {
  const limits = Object.entries(account.priceLimits).map(([model, price]) => `${model}=${formatPrice(price)}`);
  return facts([
    ['account', account.id],
    ['name', account.name],
    ['status', account.status],
    ['balance', `$${formatUsd(account.balance)}`],
    ['held', `$${formatUsd(account.held)}`],
    ['price limits', limits.join(', ') || 'none'],
    ['price lock', account.priceLock ? 'on' : 'off'],
    ['order timeout', `${account.orderTimeoutS} s`],
    ['results kept', `${account.retentionDays} days`],
    ['payloads logged', account.logPayloads ? 'yes' : 'no'],
    ['created', timeText(account.createdAtMs)],
  ]);
}

function wireAccount(account: Account): Record<string, unknown> {
  const limits = Object.entries(account.priceLimits).map(([model, price]) => [model, priceToUsd(price)]);
  return {
    account_id: account.id,
    name: account.name,
    status: account.status,
    balance_usd: nanoToUsd(account.balance),
    held_usd: nanoToUsd(account.held),
    default_price_limit: Object.fromEntries(limits),
    price_lock: account.priceLock,
    order_timeout_seconds: account.orderTimeoutS,
    storage: { retention_days: account.retentionDays, log_payloads: account.logPayloads },
    house: account.house,
    created_at: new Date(account.createdAtMs).toISOString(),
  };
}

const LIMIT_MAX = 1_000;
const REFUSED_MAX = 100;

/** `payments`: the newest payments, of one account or of all, and the newest refused events. Throws WrongValue. */
export async function listPayments(
  { db, accounts }: OperatorStore,
  { account, limit: limitText = '100' }: { readonly account?: string; readonly limit?: string },
): Promise<CommandResult> {
  const limit = /^\d{1,4}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > LIMIT_MAX)
    throw new WrongValue(`--limit is ${limitText}; write a whole number from 1 to ${LIMIT_MAX}.`);
  if (account !== undefined) await accounts.show(account);
  const store = new PaymentStore({ db, clock: systemClock, ids: idSource(systemClock) });
  const payments = await store.list({ accountId: account ?? null, limit });
  const refused = await store.refused(REFUSED_MAX);
  return {
    json: { payments: payments.map(wirePayment), refused_events: refused.map(wireRefused) },
    text: [paymentsText(payments), ...refused.map(describeRefused)].join('\n'),
  };
}

function paymentsText(payments: readonly ListedPayment[]): string {
  if (payments.length === 0) return 'There are no payments yet.';
  const rows = payments.map((payment) => [
    payment.id,
    payment.accountId,
    payment.status,
    formatUsd(payment.amount),
    formatUsd(payment.reversed),
    formatUsd(payment.owed),
    timeText(payment.createdAtMs),
    payment.paidAtMs === null ? '' : timeText(payment.paidAtMs),
  ]);
  return table(['PAYMENT', 'ACCOUNT', 'STATUS', 'USD', 'TAKEN BACK', 'OWED', 'CREATED', 'PAID'], rows);
}

function describeRefused({ eventId, type, reason, createdAtMs }: RefusedEvent): string {
  return `${wrong('refused')} ${eventId} ${type}: ${reason} ${faint(timeText(createdAtMs))}`;
}

function wirePayment(payment: ListedPayment): Record<string, unknown> {
  return {
    payment_id: payment.id,
    account_id: payment.accountId,
    provider: payment.provider,
    status: payment.status,
    amount_usd: nanoToUsd(payment.amount),
    reversed_usd: nanoToUsd(payment.reversed),
    owed_usd: nanoToUsd(payment.owed),
    session_id: payment.sessionId,
    created_at: new Date(payment.createdAtMs).toISOString(),
    paid_at: payment.paidAtMs === null ? null : new Date(payment.paidAtMs).toISOString(),
  };
}

function wireRefused({ eventId, type, reason, createdAtMs }: RefusedEvent): Record<string, unknown> {
  return { event_id: eventId, type, reason, created_at: new Date(createdAtMs).toISOString() };
}
