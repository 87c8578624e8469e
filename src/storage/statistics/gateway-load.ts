/** What the gateways did, by minute or quarter of an hour, and when they started. The journal writes the rows. */
import type { GatewayStart, LoadSpan, LoadStore } from '#observe/ports.ts';
import { codec, column } from '../database/codec.ts';
import type { Database } from '../database/database.ts';
import { bytes, int, json, money, type Row, textOrNull } from '../database/values.ts';

/** Sixteen gateways in each quarter of an hour of a week; of more, of processes that start over and over, the oldest are left out. */
const ROWS_MAX = 16 * 7 * 24 * 4;
/** More starts than this are not worth a mark each. */
const STARTS_MAX = 100;

const figures = codec<Omit<LoadSpan, 'pods'>>({
  widthMs: int,
  atMs: int,
  looks: int,
  queued: int,
  busySlots: int,
  slots: int,
  failed: int,
  charged: money,
  firstTokens: bytes,
});

const pods = codec<Pick<LoadSpan, 'atMs' | 'pods'>>({ atMs: int, pods: json() });

const starts = codec<Omit<GatewayStart, 'isNewVersion'>>({ atMs: column('from_ms', int), version: textOrNull });

/** The store over `db`. What it reads does not grow with the number of orders. */
export function createLoadStore({ knex }: Database): LoadStore {
  const spans = (columns: readonly string[], widthMs: number, fromMs: number) =>
    knex('gateway_load')
      .where({ width_ms: widthMs })
      .where('at_ms', '>=', fromMs)
      .orderBy('at_ms', 'desc')
      .limit(ROWS_MAX)
      .select(columns);
  return {
    async figures(widthMs, fromMs) {
      const rows: Row[] = await spans(figures.columns, widthMs, fromMs);
      return rows.map(figures.from);
    },

    async pods(widthMs, fromMs) {
      const rows: Row[] = await spans(pods.columns, widthMs, fromMs);
      return rows.map(pods.from);
    },

    async starts(fromMs) {
      const newest: Row[] = await knex('gateway_runs')
        .orderBy('boot', 'desc')
        .limit(STARTS_MAX + 1)
        .select(starts.columns);
      const runs = newest.map(starts.from);
      return runs
        .map((run, place) => ({ ...run, isNewVersion: isChanged(run.version, runs[place + 1]?.version) }))
        .filter(({ atMs }) => atMs >= fromMs)
        .reverse();
    },
  };
}

/** What is not known is no change. */
function isChanged(version: string | null, before: string | null | undefined): boolean {
  return version !== null && before !== null && before !== undefined && version !== before;
}
