/** Tokens and revenue by model, from the sums that settlements update. Spec 4.9. */
import type { Knex } from 'knex';
import { HOUSE_ID } from '#access/principal.ts';
import type { StatisticsWindow, TokenStore, TokenSum } from '#observe/ports.ts';
import { codec, column } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { int, money, type Row, text } from '../database/values.ts';

/** The token store over `db`. */
export function createTokenStore({ knex }: Database): TokenStore {
  return {
    async buckets(models, window) {
      const bucket = `bucket_ms - bucket_ms % ${window.bucketMs}`;
      const rows: Row[] = await sums(knex, models, window)
        .select(knex.raw(`${bucket} AS at_ms`))
        .groupBy('model')
        .groupByRaw(bucket)
        .orderBy(['model', 'at_ms']);
      return rows.map((row) => ({ ...sumFrom(row), atMs: int(row.at_ms) }));
    },

    async sums(models, window) {
      const rows: Row[] = await sums(knex, models, window).groupBy('model');
      return rows.map(sumFrom);
    },
  };
}

/** By model first, so that the primary key finds the rows. */
function sums(knex: Knex, models: readonly string[], { fromMs, toMs }: StatisticsWindow): Knex.QueryBuilder {
  const sum = (column: string) => knex.raw('SUM(??) AS ??', [column, column]);
  return knex('model_tokens')
    .whereIn('model', [...models])
    .where('bucket_ms', '>=', fromMs)
    .where('bucket_ms', '<', toMs)
    .select('model', ...['uncached_tokens', 'cached_tokens', 'output_tokens', 'requests', 'earned'].map(sum));
}

const { from: sumFrom } = codec<TokenSum>({
  model: text,
  tokens: codec<TokenSum['tokens']>({
    uncached: column('uncached_tokens', int),
    cached: column('cached_tokens', int),
    output: column('output_tokens', int),
  }),
  requests: int,
  earned: money,
});

/**
 * The models that answered a probe at any time, or a customer within the time that statistics are kept; read once at the
 * start. The days of the house are kept for ever, so that a model which was down for months still counts as down.
 */
export async function answeredModels({ knex }: Database): Promise<ReadonlySet<string>> {
  const models: string[][] = await Promise.all([
    knex('usage_days').where({ account_id: HOUSE_ID }).distinct().pluck('model'),
    knex('model_tokens').distinct().pluck('model'),
  ]);
  return new Set(models.flat());
}
