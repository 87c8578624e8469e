/**
 * What was sold in the last days, and how much of it was estimated, refunded and written off. Read account by account,
 * by the key of the usage records, so that it costs what these days hold and not what the table does.
 */
import type { Knex } from 'knex';
import type { NanoUsd } from '#base/money.ts';
import { DAY_MS } from '#base/time.ts';
import type { Dialect } from '../database/dialects/dialect.ts';
import { inPages } from '../database/keyset.ts';
import { int, money, type Row, text } from '../database/values.ts';

/** What was sold in a group of orders. Amounts are above or at 0. */
export interface SoldFigures {
  /** Orders that were settled. */
  readonly orders: number;
  /** Settled orders whose tokens the gateway counted itself, because the pod sent no counts. */
  readonly estimatedOrders: number;
  readonly charged: NanoUsd;
  /** The part of `charged` that is for the estimated orders. */
  readonly estimated: NanoUsd;
  /** The part of it that was refunded later. */
  readonly refunded: NanoUsd;
  /** What the orders cost above their holds, which nobody pays. */
  readonly writtenOff: NanoUsd;
}

/** What was sold in the last days, without the gateway's own probes; groups without orders are absent. */
export interface SoldMoney {
  /** By UTC day, epoch milliseconds of its start, the newest first. */
  readonly days: readonly ({ readonly dayMs: number } & SoldFigures)[];
  /** Of all these days together, by model. */
  readonly models: readonly ({ readonly model: string } & SoldFigures)[];
}

/** How many days, with the one that is not over. */
export const SOLD_DAYS = 35;
const ACCOUNTS_PER_READ = 200;
const NOTHING: SoldFigures = {
  orders: 0,
  estimatedOrders: 0,
  charged: 0n,
  estimated: 0n,
  refunded: 0n,
  writtenOff: 0n,
};

/** The figures of the days up to `nowMs`. */
export async function soldMoney(
  { knex, dialect }: { readonly knex: Knex; readonly dialect: Dialect },
  nowMs: number,
): Promise<SoldMoney> {
  const fromMs = nowMs - (nowMs % DAY_MS) - (SOLD_DAYS - 1) * DAY_MS;
  const days = new Map<number, SoldFigures>();
  const models = new Map<string, SoldFigures>();
  for await (const accounts of inPages(() => knex('accounts').select('id', 'house'), ACCOUNTS_PER_READ))
    for (const { id, house } of accounts) {
      if (int(house) === 1) continue;
      for (const row of await groupsOf(knex, dialect, { accountId: text(id), fromMs })) {
        const figures = figuresFrom(row);
        const [dayMs, model] = [int(row.day_ms), text(row.model)];
        days.set(dayMs, added(days.get(dayMs), figures));
        models.set(model, added(models.get(model), figures));
      }
    }
  return {
    days: [...days].sort(([one], [other]) => other - one).map(([dayMs, figures]) => ({ dayMs, ...figures })),
    models: [...models].sort(([one], [other]) => (one < other ? -1 : 1)).map(([model, rest]) => ({ model, ...rest })),
  };
}

const AMOUNTS = {
  charged: 'charged',
  estimated: 'CASE WHEN estimated = 1 THEN charged ELSE 0 END',
  refunded: 'refunded',
  written_off: 'written_off',
} as const;

async function groupsOf(
  knex: Knex,
  dialect: Dialect,
  { accountId, fromMs }: { readonly accountId: string; readonly fromMs: number },
): Promise<Row[]> {
  const day = `created_at_ms - created_at_ms % ${DAY_MS}`;
  const sums = Object.entries(AMOUNTS).flatMap(([name, expression]) => {
    const { high, low } = dialect.exactSum(`(${expression})`);
    return [knex.raw(`SUM(${high}) AS ${name}_high`), knex.raw(`SUM(${low}) AS ${name}_low`)];
  });
  return knex('usage_records')
    .where({ account_id: accountId })
    .where('created_at_ms', '>=', fromMs)
    .groupByRaw(`${day}, model`)
    .select('model', knex.raw(`${day} AS day_ms`), knex.raw('COUNT(*) AS orders'))
    .select(knex.raw('SUM(estimated) AS estimated_orders'), ...sums);
}

function figuresFrom(row: Row): SoldFigures {
  const sum = (name: keyof typeof AMOUNTS) => money(row[`${name}_high`]) * 1_000_000_000n + money(row[`${name}_low`]);
  return {
    orders: int(row.orders),
    estimatedOrders: int(row.estimated_orders),
    charged: sum('charged'),
    estimated: sum('estimated'),
    refunded: sum('refunded'),
    writtenOff: sum('written_off'),
  };
}

function added(sum: SoldFigures = NOTHING, more: SoldFigures): SoldFigures {
  return {
    orders: sum.orders + more.orders,
    estimatedOrders: sum.estimatedOrders + more.estimatedOrders,
    charged: sum.charged + more.charged,
    estimated: sum.estimated + more.estimated,
    refunded: sum.refunded + more.refunded,
    writtenOff: sum.writtenOff + more.writtenOff,
  };
}
