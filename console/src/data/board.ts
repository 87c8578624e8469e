/**
 * What the board shows of each model. Asked for gently; between two answers the levels of the stream move prices and
 * changes along, because both are proportional to the level.
 */
import { computed, effect } from '@preact/signals';
import type { MarketSummaryRow } from '#generated/types.ts';
import { repeatedly } from '../clock.ts';
import { answered, api } from './api.ts';
import { type LiveMarket, link, markets } from './live.ts';
import { type Polled, polled } from './polled.ts';

/** One model. Prices are USD per 1M tokens. */
export type BoardRow = MarketSummaryRow;

/** The request whose answer the board shows. */
export const BOARD_PATH = '/v1/market/summary';
/**
 * Sums over a day hardly change in five minutes. Figures that change faster come with the stream. A request costs the
 * gateway as much as fifty frames.
 */
const EVERY_MS = 300_000;
/** Without the stream nothing else brings quotes. */
const EVERY_MS_WITHOUT_STREAM = 15_000;

/** The models as they were asked for. */
export const board: Polled<readonly BoardRow[]> = polled(
  async () => (await answered(api.GET(BOARD_PATH))).models,
  EVERY_MS,
);

effect(() => {
  if (link.value !== 'polling') return;
  return repeatedly(EVERY_MS_WITHOUT_STREAM, () => {
    if (!document.hidden) void board.refresh();
  });
});

/** The same, moved along with the stream; undefined before the first answer. */
export const rows = computed(() => board.asked.value.value?.map((row) => moved(row, markets.value.get(row.model))));

/** Rows that were moved, so that a row is the same one while nothing moves it: tables draw it once. */
const movedRows = new WeakMap<BoardRow, { readonly market: LiveMarket; readonly row: BoardRow }>();

function moved(row: BoardRow, market: LiveMarket | undefined): BoardRow {
  if (market === undefined) return row;
  const known = movedRows.get(row);
  if (known?.market === market) return known.row;
  const { degraded = row.degraded, quote = row.quote } = market;
  const fresh = { ...atLevel(row, market.level), degraded, quote };
  movedRows.set(row, { market, row: fresh });
  return fresh;
}

function atLevel(row: BoardRow, level: number): BoardRow {
  if (row.level === null || row.level === level || row.level === 0) return row;
  const factor = level / row.level;
  const { cached, uncached, output } = row.usd_per_million;
  return {
    ...row,
    level,
    usd_per_million: { cached: cached * factor, uncached: uncached * factor, output: output * factor },
    change_24h_pct: row.change_24h_pct === null ? null : (1 + row.change_24h_pct / 100) * factor * 100 - 100,
  };
}
