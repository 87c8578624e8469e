/** Results of probes, summed as they end: by the quarter of an hour, and by the day for longer. Spec 4.9. */
import type { Knex } from 'knex';
import { DAY_MS } from '#base/time.ts';
import type { ProbeResult, ProbeStore, ProbeSum, StatisticsWindow } from '#observe/ports.ts';
import { codec } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { writing } from '../database/transaction.ts';
import { int, type Row, text } from '../database/values.ts';
import { bucketOf } from '../journal/model-tokens.ts';

const SUMS = ['total', 'failures', 'done', 'queue_ms', 'pipeline_ms'] as const;
const MAXIMA = ['ms_max', 'queue_ms_max', 'pipeline_ms_max'] as const;

/** The probe store over `db`. One gateway writes it. */
export function createProbeStore(db: Database): ProbeStore {
  return {
    async record(result) {
      const { model, atMs } = result;
      const dayMs = atMs - (atMs % DAY_MS);
      const figures = figuresOf(result);
      await writing(db, async (trx) => {
        const added = SUMS.map((name) => [name, trx.raw('?? + ?', [name, figures[name]])]);
        const raised = MAXIMA.map((name) => [
          name,
          trx.raw('CASE WHEN ?? < ? THEN ? ELSE ?? END', [name, figures[name], figures[name], name]),
        ]);
        for (const [table, bucket_ms] of [
          ['probe_buckets', bucketOf(atMs)],
          ['probe_days', dayMs],
        ] as const) {
          const changed = await trx(table)
            .where({ model, bucket_ms })
            .update(Object.fromEntries([...added, ...raised]));
          if (changed === 0) await trx(table).insert({ model, bucket_ms, ...figures });
        }
      });
    },

    async buckets(models, window) {
      const bucket = `bucket_ms - bucket_ms % ${window.bucketMs}`;
      const rows: Row[] = await summed(db.knex, models, window)
        .select(db.knex.raw(`${bucket} AS at_ms`))
        .groupByRaw(bucket)
        .orderBy('at_ms');
      return rows.map((row) => ({ atMs: int(row.at_ms), ...sumFrom(row) }));
    },

    async sums(models, window) {
      const rows: Row[] = await summed(db.knex, models, window).select('model').groupBy('model');
      return rows.map((row) => ({ model: text(row.model), ...sumFrom(row) }));
    },
  };
}

/** By model first, so that the primary key finds the rows. */
function summed(knex: Knex, models: readonly string[], window: StatisticsWindow): Knex.QueryBuilder {
  const { fromMs, toMs, bucketMs } = window;
  return knex(bucketMs % DAY_MS === 0 ? 'probe_days' : 'probe_buckets')
    .whereIn('model', [...models])
    .where('bucket_ms', '>=', fromMs)
    .where('bucket_ms', '<', toMs)
    .select(
      ...SUMS.map((name) => knex.raw('SUM(??) AS ??', [name, name])),
      ...MAXIMA.map((name) => knex.raw('MAX(??) AS ??', [name, name])),
    );
}

type Figures = Readonly<Record<(typeof SUMS)[number] | (typeof MAXIMA)[number], number>>;

function figuresOf({ outcome, queueMs, pipelineMs }: ProbeResult): Figures {
  const failed = outcome === 'failed';
  const timed = (ms: number) => (failed ? 0 : ms);
  return {
    total: 1,
    failures: Number(failed),
    done: Number(outcome === 'done'),
    queue_ms: timed(queueMs),
    pipeline_ms: timed(pipelineMs),
    ms_max: timed(queueMs + pipelineMs),
    queue_ms_max: timed(queueMs),
    pipeline_ms_max: timed(pipelineMs),
  };
}

const { from: sumFrom } = codec<ProbeSum>({
  total: int,
  failures: int,
  done: int,
  msMax: int,
  queueMs: int,
  queueMsMax: int,
  pipelineMs: int,
  pipelineMsMax: int,
});
