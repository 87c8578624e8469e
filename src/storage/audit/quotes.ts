/**
 * Points (5) and (9) of the audit: levels and quotes have no gaps and stay within bounds, windows follow each other, and no
 * lock bids above its quote.
 */
import type { Knex } from 'knex';
import type { OrderRow } from '#orders/order.ts';
import { int, type Row, text } from '../database/values.ts';
import type { Findings } from './findings.ts';

/** The bounds of one market's published level. */
export interface LevelBounds {
  readonly floor: number;
  readonly ceiling: number;
}

/** Bounds, and since when they apply: prices published before are not checked against them. */
interface BoundsInForce extends LevelBounds {
  readonly sinceMs: number;
}

/** No listing may have a higher ceiling: 10^6 USD. */
const WIDEST: BoundsInForce = { floor: 0, ceiling: 1e15, sinceMs: 0 };

/** `bounds` by model, as configured now; other models are checked against the widest bounds of any listing. */
export async function auditLevels(
  trx: Knex.Transaction,
  bounds: ReadonlyMap<string, BoundsInForce>,
  findings: Findings,
): Promise<void> {
  const rows: Row[] = await trx('levels')
    .groupBy('model')
    .select('model')
    .select(trx.raw('COUNT(*) AS number, MIN(level_seq) AS first_seq, MAX(level_seq) AS last_seq'))
    .select(trx.raw('MIN(level) AS lowest, MAX(level) AS highest'));
  const newest: Row[] = await trx('markets');
  const seqs = new Map(newest.map((row) => [text(row.model), int(row.level_seq)]));
  for (const row of rows) {
    const model = text(row.model);
    const { floor, ceiling, sinceMs } = bounds.get(model) ?? WIDEST;
    const last = int(row.last_seq);
    const { lowest, highest } = sinceMs === 0 ? row : await rangeSince(trx, model, sinceMs);
    if (int(row.number) !== last - int(row.first_seq) + 1)
      findings.add(`Market ${model}: the numbers of its levels have gaps.`);
    if (lowest !== null && (int(lowest) < floor || int(highest) > ceiling))
      findings.add(`Market ${model}: levels from ${int(lowest)} to ${int(highest)} leave ${floor} to ${ceiling}.`);
    if (seqs.get(model) !== last) findings.add(`Market ${model}: its newest level is not the one kept as newest.`);
  }
}

/** The lowest and the highest level published since then; both null without any. */
async function rangeSince(trx: Knex.Transaction, model: string, sinceMs: number): Promise<Row> {
  const row: Row | undefined = await trx('levels')
    .where({ model })
    .where('at_ms', '>', sinceMs)
    .min({ lowest: 'level' })
    .max({ highest: 'level' })
    .first();
  return row ?? { lowest: null, highest: null };
}

/**
 * How long after its window a quote may still be the standing one: the next one may commit late, and a paused process
 * resumes with the quote it knew.
 */
const LATE_MS = 60_000;
const ROWS_PER_READ = 5000;

/** Numbers without gaps, windows that do not run backwards, prices within the bounds. */
export async function auditQuotes(
  trx: Knex.Transaction,
  bounds: ReadonlyMap<string, BoundsInForce>,
  findings: Findings,
): Promise<void> {
  const newest: Row[] = await trx('quote_states');
  for (const row of newest) {
    const model = text(row.model);
    const fault = await windowFault(trx, model, int(row.quote_seq), bounds.get(model));
    if (fault) findings.add(`Market ${model}: ${fault}`);
  }
}

/** The first fault in the windows of one market; null for none. In bounded memory. */
async function windowFault(
  trx: Knex.Transaction,
  model: string,
  newestSeq: number,
  bounds: BoundsInForce | undefined,
): Promise<string | null> {
  let last: { seq: number; atMs: number } | null = null;
  for (;;) {
    const rows: Row[] = await trx('quotes')
      .where({ model })
      .where('quote_seq', '>', last?.seq ?? 0)
      .orderBy('quote_seq')
      .limit(ROWS_PER_READ);
    for (const row of rows) {
      const [seq, atMs, price] = [int(row.quote_seq), int(row.at_ms), int(row.price)];
      if (last && seq !== last.seq + 1) return `there is no quote ${last.seq + 1}.`;
      if (int(row.until_ms) <= atMs || (last && atMs < last.atMs)) return `the window of quote ${seq} runs backwards.`;
      const isOutside = bounds && (price < bounds.floor || price > bounds.ceiling);
      if (isOutside && atMs > bounds.sinceMs) return `quote ${seq} leaves its bounds.`;
      last = { seq, atMs };
    }
    if (rows.length < ROWS_PER_READ) break;
  }
  return last?.seq === newestSeq ? null : 'its newest quote is not the one kept as newest.';
}

/** The first quote of a model that is still stored. Earlier locks cannot be checked. */
export interface FirstQuote {
  readonly seq: number;
  readonly atMs: number;
}

/** The first stored quote of each model. */
export async function firstQuotes(trx: Knex.Transaction): Promise<Map<string, FirstQuote>> {
  const rows: Row[] = await trx('quotes')
    .groupBy('model')
    .select('model')
    .min({ at_ms: 'at_ms', quote_seq: 'quote_seq' });
  return new Map(rows.map((row) => [text(row.model), { seq: int(row.quote_seq), atMs: int(row.at_ms) }]));
}

/** Each lock bids the lower of its limit and a quote that was standing when it was submitted. */
export async function auditLocks(
  trx: Knex.Transaction,
  orders: readonly OrderRow[],
  { quotes }: { readonly quotes: ReadonlyMap<string, FirstQuote> },
  findings: Findings,
): Promise<void> {
  for (const order of orders) {
    const { id, model, quoteAtSubmission, priceLock, bid, limit } = order;
    if (!priceLock || quoteAtSubmission === null || limit === null) continue;
    if (bid !== Math.min(quoteAtSubmission, limit))
      findings.add(`Order ${id}: its bid is not the lower of quote and limit.`);
    const fault = await quoteFault(trx, { ...order, quoteAtSubmission }, quotes.get(model));
    if (fault) findings.add(`Order ${id}: ${fault}`);
  }
}

/**
 * By the number of the quote, as clocks of gateways differ; by the time for locks from before the number was stored.
 */
async function quoteFault(
  trx: Knex.Transaction,
  lock: OrderRow & { readonly quoteAtSubmission: number },
  first: FirstQuote | undefined,
): Promise<string | null> {
  const { model, createdAtMs, quoteAtSubmission, quoteSeq = null } = lock;
  if (!first) return null;
  if (quoteSeq === null) {
    if (createdAtMs < first.atMs) return null;
    const standing: Row | undefined = await trx('quotes')
      .where({ model, price: String(quoteAtSubmission) })
      .where('at_ms', '<=', createdAtMs)
      .where('until_ms', '>', createdAtMs - LATE_MS)
      .first('quote_seq');
    return standing ? null : `no quote of ${quoteAtSubmission} stood when it was made.`;
  }
  if (quoteSeq < first.seq) return null;
  const quote: Row | undefined = await trx('quotes').where({ model, quote_seq: quoteSeq }).first('price', 'until_ms');
  if (!quote) return `there is no quote ${quoteSeq}, on which it relied.`;
  if (int(quote.price) !== quoteAtSubmission) return `quote ${quoteSeq} was ${int(quote.price)}.`;
  return createdAtMs <= int(quote.until_ms) + LATE_MS ? null : `quote ${quoteSeq} had ended when it was made.`;
}
