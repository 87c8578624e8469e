/**
 * Reads single levels and quotes of the past, and their chains. They are kept for two days: docs/decisions/0012. All
 * are found by primary key.
 */
import type { Knex } from 'knex';
import type { KeptPrice, PastPrices } from '#ledger/past-prices.ts';
import { type ChainedPrice, genesisHash, type PriceChain, rowHash } from '#ledger/price-chain.ts';
import type { Database } from '../database/database.ts';
import { int, intOrNull, type Row, textOrNull } from '../database/values.ts';

const TABLES = {
  levels: { number: 'level_seq', price: 'level' },
  quotes: { number: 'quote_seq', price: 'price' },
} as const;

/** The past prices over `db`; the journal writes the rows. */
export function createPastPrices({ knex }: Pick<Database, 'knex'>): PastPrices {
  const from = (chain: PriceChain, model: string): Chain => ({
    chain,
    model,
    rows: () => knex(chain).where({ model }),
  });
  return {
    async row(chain, model, number) {
      const [row] = await page(from(chain, model), number - 1, 1);
      return row?.number === number ? row : null;
    },

    async page(chain, model, { after, limit }) {
      const of = from(chain, model);
      const rows = await page(of, after, limit);
      if (rows[0]?.hash !== null) return rows.filter(isChained);
      // Rows written before there were chains may fill many pages.
      const first = await firstWith(of, ({ hash }) => hash !== null);
      return (await page(of, Math.max(after, first - 1), limit)).filter(isChained);
    },

    async numberAt(chain, model, atMs) {
      const of = from(chain, model);
      const later = await firstWith(of, (row) => int(row.at_ms) > atMs);
      const { number } = TABLES[chain];
      const inForce: Row | undefined = await of.rows().where(number, '<', later).orderBy(number, 'desc').first(number);
      const row: Row | undefined = inForce ?? (await of.rows().orderBy(number).first(number));
      return row ? int(row[number]) : 0;
    },

    lastNumber: (chain, model) => lastNumber(from(chain, model)),

    async newest(chain, model) {
      const of = from(chain, model);
      const [row] = await page(of, (await lastNumber(of)) - 1, 1);
      return row && isChained(row) ? row : null;
    },
  };
}

/** One chain of one model. */
interface Chain {
  readonly chain: PriceChain;
  readonly model: string;
  readonly rows: () => Knex.QueryBuilder;
}

async function page({ chain, model, rows }: Chain, after: number, limit: number): Promise<KeptPrice[]> {
  const { number } = TABLES[chain];
  // The row before the first one has the hash that the first one continues.
  const found: Row[] = await rows()
    .where(number, '>=', after)
    .orderBy(number)
    .limit(limit + 1);
  const kept: KeptPrice[] = [];
  for (const [at, row] of found.entries()) {
    const before = found[at - 1];
    const follows = before !== undefined && int(before[number]) === int(row[number]) - 1;
    kept.push(keptFrom(chain, model, row, follows ? textOrNull(before?.hash) : null));
  }
  return kept.filter((row) => row.number > after).slice(0, limit);
}

/**
 * The number of the first row that is `so`, as all after it are; beyond the last one for none. Halves the rest each time:
 * a time long past must not make the gateway read every row.
 */
async function firstWith({ chain, rows }: Chain, so: (row: Row) => boolean): Promise<number> {
  const { number } = TABLES[chain];
  const oldest: Row | undefined = await rows().orderBy(number).first(number);
  const newest: Row | undefined = await rows().orderBy(number, 'desc').first(number);
  let low = oldest ? int(oldest[number]) : 1;
  let high = newest ? int(newest[number]) + 1 : 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row: Row | undefined = await rows().where(number, '>=', middle).orderBy(number).first();
    if (!row || so(row)) high = middle;
    else low = int(row[number]) + 1;
  }
  return low;
}

async function lastNumber({ chain, rows }: Chain): Promise<number> {
  const { number } = TABLES[chain];
  const last: Row | undefined = await rows().orderBy(number, 'desc').first(number);
  return last ? int(last[number]) : 0;
}

function isChained(row: KeptPrice): row is ChainedPrice {
  return row.hash !== null;
}

/** Where no row of a chain is before it, a row follows from the genesis of its chain, or from a row that is gone. */
function keptFrom(chain: PriceChain, model: string, row: Row, previous: string | null): KeptPrice {
  const { number, price } = TABLES[chain];
  const said = {
    number: int(row[number]),
    price: int(row[price]),
    atMs: int(row.at_ms),
    untilMs: chain === 'quotes' ? intOrNull(row.until_ms) : null,
  };
  const hash = textOrNull(row.hash);
  if (previous !== null || hash === null) return { ...said, previous, hash };
  const isFirst = rowHash(chain, model, said, null) === hash;
  return { ...said, previous: isFirst ? genesisHash(chain, model, said.number) : null, hash };
}
