/** Points (2) to (6) of the audit: every order against its states, its usage, its charge and its level. */
import type { Knex } from 'knex';
import type { KeyBudget } from '#base/key-budget.ts';
import { isTerminal, type OrderRow } from '#orders/order.ts';
import { inPages } from '../database/keyset.ts';
import { int, money, type Row, text, textOrNull } from '../database/values.ts';
import { budgetFrom } from '../records/account.ts';
import { orderFrom } from '../records/order.ts';
import type { Findings } from './findings.ts';
import { auditLocks, type FirstQuote, firstQuotes } from './quotes.ts';

const ROWS_PER_READ = 250;
/** A fourth failure ends an order. */
const FAILURES_MAX = 4;

interface Page {
  readonly orders: readonly OrderRow[];
  readonly usage: ReadonlyMap<string, Row>;
  readonly charges: ReadonlyMap<string, unknown>;
  readonly levels: ReadonlyMap<string, number>;
}

/** The price history that is still stored, by model: the first level's number, and the first quote. */
interface StoredHistory {
  readonly levelSeqs: ReadonlyMap<string, number>;
  readonly quotes: ReadonlyMap<string, FirstQuote>;
}

/** Checks every order, in the order of their ids, and returns how many there are. */
export async function auditOrders(trx: Knex.Transaction, findings: Findings): Promise<number> {
  const kept = { levelSeqs: await firstLevels(trx), quotes: await firstQuotes(trx) };
  const budgets = await BudgetSums.read(trx, findings);
  let count = 0;
  for await (const rows of inPages(() => trx('orders'), ROWS_PER_READ)) {
    const page = await readPage(trx, findings.read('Order', rows, orderFrom));
    for (const order of page.orders)
      await findings.within(`order ${order.id}`, () => {
        auditOrder(order, page, kept, findings);
        budgets.add(order, page.usage.get(order.id));
      });
    await auditLocks(trx, page.orders, kept, findings);
    count += rows.length;
  }
  budgets.check(findings);
  await auditOrphans(trx, findings);
  return count;
}

async function readPage(trx: Knex.Transaction, orders: readonly OrderRow[]): Promise<Page> {
  const ids = orders.map(({ id }) => id);
  const usage: Row[] = await trx('usage_records').whereIn('order_id', ids);
  const settled = orders.filter(({ status }) => status === 'done');
  const charges: Row[] = await trx('entries').whereIn(
    ['account_id', 'unique_key'],
    settled.map(({ accountId, id }) => [accountId, `charge:${id}`]),
  );
  const admitted = orders.filter(({ levelSeq, limit }) => levelSeq !== null && limit !== null);
  const levels: Row[] = await trx('levels').whereIn(
    ['model', 'level_seq'],
    admitted.map(({ model, levelSeq }) => [model, levelSeq ?? 0]),
  );
  return {
    orders,
    usage: new Map(usage.map((row) => [text(row.order_id), row])),
    charges: new Map(charges.map((row) => [text(row.order_id), row.amount])),
    levels: new Map(levels.map((row) => [`${text(row.model)} ${int(row.level_seq)}`, int(row.level)])),
  };
}

function auditOrder(order: OrderRow, page: Page, kept: StoredHistory, findings: Findings): void {
  for (const fault of [...stateFaults(order), ...priceFaults(order, page, kept), ...chargeFaults(order, page)]) {
    findings.add(`Order ${order.id} (${order.status}): ${fault}`);
  }
}

/** (2), (6): the other fields match the status. */
function* stateFaults(order: OrderRow): Generator<string> {
  const { status, hold, createdAtMs, admittedAtMs, finishedAtMs, price, maxCharge = null } = order;
  if (hold < 0n || (status !== 'executing' && hold !== 0n)) yield `it holds ${hold}.`;
  if (maxCharge !== null && hold > maxCharge) yield `it holds ${hold}, and may be charged ${maxCharge} at most.`;
  const ran = status === 'executing' || status === 'done';
  if (ran && (admittedAtMs === null || price === null || order.levelSeq === null || order.attempt < 1)) {
    yield 'it was never admitted.';
  }
  if (['queued', 'canceled', 'expired'].includes(status) && (admittedAtMs !== null || price !== null)) {
    yield 'it carries an admission.';
  }
  if (isTerminal(status) !== (finishedAtMs !== null)) yield 'its end and its status disagree.';
  const failed = isTerminal(status) && status !== 'done';
  if (failed !== (order.error !== null)) yield 'its error and its status disagree.';
  const times = [createdAtMs, admittedAtMs, finishedAtMs].filter((time) => time !== null);
  if (times.some((time, index) => index > 0 && time < (times[index - 1] ?? 0))) yield 'its times run backwards.';
  if (order.failures < 0 || order.failures > FAILURES_MAX) yield `it failed ${order.failures} times.`;
}

/** (5): the price it ran at is the lowest of the level in force, its bid and its first admission's price. */
function* priceFaults(order: OrderRow, page: Page, { levelSeqs }: StoredHistory): Generator<string> {
  const { bid, price, levelSeq, model, quoteAtSubmission } = order;
  if (order.priceLock && quoteAtSubmission !== null && bid > quoteAtSubmission) yield 'its bid is above its quote.';
  if (price === null || levelSeq === null) return;
  if (order.firstPrice !== null && price > order.firstPrice) yield 'it ran above its first price.';
  if (order.limit === null) {
    if (price !== bid) yield `it ran at ${price}, its fixed price is ${bid}.`;
    return;
  }
  const level = page.levels.get(`${model} ${levelSeq}`);
  if (level === undefined) {
    // Old levels are swept; a newer one that is missing is a finding.
    if (levelSeq >= (levelSeqs.get(model) ?? 0)) yield `there is no level ${levelSeq} of ${model}.`;
    return;
  }
  const expected = Math.min(level, bid, order.firstPrice ?? Number.POSITIVE_INFINITY);
  if (price !== expected) yield `it ran at ${price} where ${expected} was due.`;
}

/** (3), (4): exactly the settled orders have a usage row, and its charge follows from its tokens. */
function* chargeFaults(order: OrderRow, { usage: rows, charges }: Page): Generator<string> {
  const usage = rows.get(order.id);
  if (!usage !== (order.status !== 'done')) yield usage ? 'it has a usage row.' : 'it has no usage row.';
  if (!usage) return;
  const [charged, writtenOff] = [money(usage.charged), money(usage.written_off)];
  const [prompt, cached, output] = [money(usage.prompt_tokens), money(usage.cached_tokens), money(usage.output_tokens)];
  const owner = [text(usage.account_id), textOrNull(usage.key_id), text(usage.model)];
  if ([order.accountId, order.keyId, order.model].some((own, at) => own !== owner[at]))
    yield 'its usage is not its own.';
  if (cached < 0n || cached > prompt || output < 0n || output > BigInt(order.outputCap)) {
    yield 'its token counts are impossible.';
  }
  if (int(usage.level_at_execution) !== order.price) yield 'its usage names another price.';
  const due = recomputeCharge(order.tariffId, money(usage.level_at_execution), { prompt, cached, output });
  if (charged + writtenOff !== due)
    yield `its tokens cost ${due}; ${charged} was charged and ${writtenOff} written off.`;
  const most = order.maxCharge ?? null;
  if (most !== null && charged > most) yield `it was charged ${charged}, and ${most} was the most.`;
  const entry = charges.get(order.id);
  if (entry === undefined || money(entry) !== -charged) yield `its entry says ${entry}, its usage ${charged}.`;
}

/** The first level that is still stored of each model. */
async function firstLevels(trx: Knex.Transaction): Promise<Map<string, number>> {
  const rows: Row[] = await trx('levels').groupBy('model').select('model', trx.raw('MIN(level_seq) AS level_seq'));
  return new Map(rows.map((row) => [text(row.model), int(row.level_seq)]));
}

/** (3), (7): rows that belong to no order, or to one that may not have them. */
async function auditOrphans(trx: Knex.Transaction, findings: Findings): Promise<void> {
  const orphans = (table: string, condition: string): Knex.QueryBuilder =>
    trx(table)
      .leftJoin('orders', 'orders.id', `${table}.order_id`)
      .where((either) => either.whereNull('orders.id').orWhereRaw(condition))
      .select(`${table}.order_id AS order_id`);
  const foreign = orphans('usage_records', 'orders.account_id <> usage_records.account_id');
  await findings.each(foreign, (row) => `The usage row of ${text(row.order_id)} belongs to no order.`);
  const freed = "orders.status IN ('error', 'canceled', 'expired')";
  const kept = orphans('idempotency_keys', `orders.account_id <> idempotency_keys.account_id OR ${freed}`);
  await findings.each(kept, (row) => `The Idempotency-Key of ${text(row.order_id)} should be free.`);
  const ended = orphans('order_bodies', "orders.status NOT IN ('queued', 'executing')");
  await findings.each(ended, (row) => `The input of ${text(row.order_id)} is still kept.`);
  const charges = trx('entries')
    .where({ 'entries.kind': 'charge' })
    .leftJoin('usage_records', 'usage_records.order_id', 'entries.order_id')
    .whereNull('usage_records.order_id')
    .select('entries.order_id');
  await findings.each(charges, (row) => `The charge of ${text(row.order_id)} has no usage row.`);
}

// The charge of an order, recomputed from what is stored by the specification's formula alone. It shares no code with
// `ledger/tariff.ts` on purpose: an audit that repeats a mistake does not find it. Spec 1.4.

/**
 * Nano-dollars, rounded once, half to even; null when the tariff id cannot be read. `level` is nano-dollars per 1M input
 * tokens at the reference mix.
 *
 * A token of kind k costs level × ratio_k ÷ (0.9 cached + 0.1 uncached + 0.02 output), per million; a fixed price as it
 * stands.
 */
function recomputeCharge(
  tariffId: string,
  level: bigint,
  tokens: Readonly<Record<'prompt' | 'cached' | 'output', bigint>>,
): bigint | null {
  const [type, ...parts] = tariffId.split(':');
  if (parts.length !== 3 || !parts.every((part) => /^\d+$/.test(part))) return null;
  const [cached = 0n, uncached = 0n, output = 0n] = parts.map(BigInt);
  const worth = cached * tokens.cached + uncached * (tokens.prompt - tokens.cached) + output * tokens.output;
  if (type === 'fixed') return nearestEven(worth, 1_000_000n);
  if (type !== 'market') return null;
  const hundredthsOfMix = 90n * cached + 10n * uncached + 2n * output;
  return hundredthsOfMix === 0n ? null : nearestEven(100n * worth * level, hundredthsOfMix * 1_000_000n);
}

/** Rounds half up, then undoes the step where a tie became an odd number. */
function nearestEven(numerator: bigint, denominator: bigint): bigint {
  const up = (2n * numerator + denominator) / (2n * denominator);
  const tie = (2n * numerator + denominator) % (2n * denominator) === 0n;
  return tie && up % 2n !== 0n ? up - 1n : up;
}

// Point (1) of the audit for keys: what is spent and held of a budget is what its period's orders cost and hold.

interface Audited {
  readonly stored: KeyBudget;
  spent: bigint;
  held: bigint;
}

/** The budgets of all keys that ever had one, and the sums of the orders that the audit has read so far. */
class BudgetSums {
  readonly #budgets: ReadonlyMap<string, Audited>;

  constructor(budgets: readonly { readonly id: string; readonly stored: KeyBudget }[]) {
    this.#budgets = new Map(budgets.map(({ id, stored }) => [id, { stored, spent: 0n, held: 0n }]));
  }

  /** The budgets as they are stored. */
  static async read(trx: Knex.Transaction, findings: Findings): Promise<BudgetSums> {
    const used = trx('api_keys').whereNotNull('budget').orWhere('budget_from_ms', '<>', 0);
    const rows: Row[] = await used.orWhere('budget_spent', '<>', 0).orWhere('budget_held', '<>', 0);
    return new BudgetSums(findings.read('Key', rows, (row) => ({ id: text(row.id), stored: budgetFrom(row) })));
  }

  /** Takes in an order with its usage row; those that count in no budget, or in an earlier period, change nothing. */
  add({ keyId, budgetFromMs, hold }: OrderRow, usage: Row | undefined): void {
    const budget = keyId === null ? undefined : this.#budgets.get(keyId);
    if (!budget || budgetFromMs !== budget.stored.fromMs) return;
    budget.held += hold;
    if (usage) budget.spent += money(usage.charged) - money(usage.refunded);
  }

  /** Adds a finding for each sum that is not the stored one. Call it once every order was added. */
  check(findings: Findings): void {
    for (const [id, { stored, spent, held }] of this.#budgets) {
      if (stored.held !== held)
        findings.add(`Key ${id}: ${stored.held} of its budget is held, its executing orders hold ${held}.`);
      if (stored.spent !== spent)
        findings.add(`Key ${id}: ${stored.spent} of its budget is spent, the orders of its period cost ${spent}.`);
    }
  }
}
