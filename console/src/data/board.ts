/**
 * What the board shows of each model. Asked for gently; between two answers the levels of the stream move prices and
 * changes along, because both are proportional to the level.
 */
import { computed } from '@preact/signals';
import type { MarketSummaryRow } from '#generated/types.ts';
import { answered, api } from './api.ts';
import { levels } from './live.ts';
import { type Polled, polled } from './polled.ts';

/** One model. Prices are USD per 1M tokens. */
export type BoardRow = MarketSummaryRow;

/** The request whose answer the board shows. */
export const BOARD_PATH = '/v1/market/summary';
/** The levels of the stream move what is seen meanwhile; 500 viewers who ask this often cost less than 1 % of a core. */
const EVERY_MS = 30_000;

/** The models as they were asked for. */
export const board: Polled<readonly BoardRow[]> = polled(
  async () => (await answered(api.GET(BOARD_PATH))).models,
  EVERY_MS,
);

/** The same, moved along with the levels of the stream; null before the first answer. */
export const rows = computed(() => board.asked.value.value?.map((row) => moved(row, levels.value.get(row.model))));

function moved(row: BoardRow, level: number | undefined): BoardRow {
  if (level === undefined || row.level === null || row.level === level || row.level === 0) return row;
  const factor = level / row.level;
  const { cached, uncached, output } = row.usd_per_million;
  return {
    ...row,
    level,
    usd_per_million: { cached: cached * factor, uncached: uncached * factor, output: output * factor },
    change_24h_pct: row.change_24h_pct === null ? null : (1 + row.change_24h_pct / 100) * factor * 100 - 100,
  };
}
