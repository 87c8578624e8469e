/**
 * The hash chains of levels and quotes, as the documents describe them: each hash follows from that of the row before
 * and what the row says. Shares no code with what writes them.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { int, type Row, text, textOrNull } from '../database/values.ts';
import type { Findings } from './findings.ts';

const ROWS_PER_READ = 5000;

interface Series {
  readonly table: 'levels' | 'quotes';
  readonly number: 'level_seq' | 'quote_seq';
  readonly line: (model: string, row: Row) => string;
}

const SERIES: readonly Series[] = [
  {
    table: 'levels',
    number: 'level_seq',
    line: (model, row) => `level ${int(row.level_seq)} ${int(row.level)} ${int(row.at_ms)} ${model}`,
  },
  {
    table: 'quotes',
    number: 'quote_seq',
    line: (model, row) =>
      `quote ${int(row.quote_seq)} ${int(row.price)} ${int(row.at_ms)} ${int(row.until_ms)} ${model}`,
  },
];

/** The first fault of each chain. The oldest row that is kept has nothing before it, and proves nothing. */
export async function auditPriceChains(trx: Knex.Transaction, findings: Findings): Promise<void> {
  const models: unknown[] = await trx('markets').pluck('model');
  for (const model of models.map(text))
    for (const series of SERIES) {
      const fault = await chainFault(trx, model, series);
      if (fault) findings.add(`Market ${model}: ${fault}`);
    }
}

async function chainFault(trx: Knex.Transaction, model: string, series: Series): Promise<string | null> {
  const { table, number, line } = series;
  const noun = table === 'levels' ? 'level' : 'quote';
  for (let last: { number: number; hash: string | null } | null = null; ; ) {
    const after: number = last?.number ?? 0;
    const rows: Row[] = await trx(table)
      .where({ model })
      .where(number, '>', after)
      .orderBy(number)
      .limit(ROWS_PER_READ);
    for (const row of rows) {
      const [seq, hash] = [int(row[number]), textOrNull(row.hash)];
      if (last?.hash && hash === null) return `${noun} ${seq} has no hash, and those before it have.`;
      const from = last?.hash ?? sha256(`\ngenesis ${table} ${seq} ${model}`);
      // Without a row of the chain before it, the row may be the first that is kept, whose hash nothing follows from.
      const mayBeFirst = last === null;
      if (hash !== null && !mayBeFirst && sha256(`${from}\n${line(model, row)}`) !== hash)
        return `${noun} ${seq} is not what was published: its hash does not fit.`;
      last = { number: seq, hash };
    }
    if (rows.length < ROWS_PER_READ) return null;
  }
}

function sha256(said: string): string {
  return createHash('sha256').update(said).digest('base64url');
}
