/**
 * What the gateway of the past did in the last week: how busy its pods were, what waited, and what failed. Busy hours are those
 * of `levelAt`; what was charged is read from the orders that were written before.
 */
import type { JournalPort } from '#base/journal.ts';
import { normal, type Random } from '#base/random.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { LOOK_MS, type LoadSpan, STATISTICS_BUCKET_MS, type StatisticsUnits } from '#observe/ports.ts';
import { RunCounts } from '#observe/run-counts.ts';
import type { Database } from '#storage/database/database.ts';
import { int, money, type Row } from '#storage/database/values.ts';
import { type DemoModel, levelAt } from './models.ts';
import { PAST_BOOT } from './past.ts';

interface PastLoadOptions {
  readonly db: Database;
  readonly journal: JournalPort<StatisticsUnits>;
  readonly random: Random;
  readonly models: readonly DemoModel[];
  readonly untilMs: number;
}

const WIDTHS = [
  { widthMs: MINUTE_MS, lengthMs: HOUR_MS },
  { widthMs: STATISTICS_BUCKET_MS, lengthMs: 7 * DAY_MS },
] as const;
/** Since when the pods are down that are down. */
const DOWN_MS = 15 * MINUTE_MS;
/** First tokens in one look. */
const ORDERS_A_LOOK = 2;
const FIRST_TOKEN_MS = 150;

/** Writes the minutes of the last hour and the quarters of an hour of the last week. Call once, after the orders. */
export async function writePastLoad(options: PastLoadOptions): Promise<void> {
  for (const { widthMs, lengthMs } of WIDTHS) {
    const { journal, untilMs } = options;
    const beginMs = untilMs - lengthMs;
    const charged = await chargedSince(options.db, beginMs, widthMs);
    const spans: LoadSpan[] = [];
    for (let atMs = beginMs - (beginMs % widthMs); atMs + widthMs <= untilMs; atMs += widthMs)
      spans.push(spanOf(options, { widthMs, atMs, charged: charged.get(atMs) ?? 0n }));
    await journal.write({ kind: 'gateway-load', boot: PAST_BOOT, spans });
  }
}

async function chargedSince({ knex }: Database, fromMs: number, widthMs: number): Promise<Map<number, bigint>> {
  const begin = `created_at_ms - created_at_ms % ${widthMs}`;
  const rows: Row[] = await knex('usage_records')
    .where('created_at_ms', '>=', fromMs - widthMs)
    .groupByRaw(begin)
    .select(knex.raw(`${begin} AS at_ms`))
    .sum({ charged: 'charged' });
  return new Map(rows.map((row) => [int(row.at_ms), money(row.charged)]));
}

function spanOf(
  { random, models, untilMs }: PastLoadOptions,
  { widthMs, atMs, charged }: Pick<LoadSpan, 'widthMs' | 'atMs' | 'charged'>,
): LoadSpan {
  const looks = widthMs / LOOK_MS;
  const slots = models.reduce((sum, model) => sum + model.pods.length * model.slots, 0);
  const demand = (0.6 * levelAt('', 1, atMs)) / 1e9;
  const firstTokens = new RunCounts();
  for (let order = 0; order < looks * ORDERS_A_LOOK; order++) {
    const firstTokenMs = FIRST_TOKEN_MS * (0.7 + demand) * Math.exp(0.4 * normal(random));
    firstTokens.add({ waitMs: null, bidOverLevel: 1, firstTokenMs, tokensPerSecond: null });
  }
  const isDown = atMs + widthMs > untilMs - DOWN_MS;
  const up = models.flatMap((model) => model.pods.map((pod) => [pod, [looks, 0, 0]] as const));
  const down = models.flatMap(({ down: pod }) =>
    pod === undefined ? [] : [[pod, isDown ? [0, looks, 0] : [looks, 0, 0]] as const],
  );
  return {
    ...{ widthMs, atMs, looks, charged },
    queued: Math.round(looks * slots * Math.max(0, demand - 0.5)),
    busySlots: Math.round(looks * slots * Math.min(1, demand)),
    slots: looks * slots,
    failed: random.next() < (0.3 * widthMs) / STATISTICS_BUCKET_MS ? 1 : 0,
    firstTokens: firstTokens.pack(),
    pods: Object.fromEntries([...up, ...down]),
  };
}
