/** How busy the slots of all markets are. */
import type { BoardRow } from '../data/board.ts';
import { countWhole } from '../format.ts';
import { Nothing } from '../parts/figures.tsx';
import { isOnSale } from './start-price.ts';

/** The share of the slots that are taken, of the markets on sale whose slots are known. */
export function BusyShare({ rows }: { readonly rows: readonly BoardRow[] }) {
  const markets = rows.filter((row) => row.slots !== null && isOnSale(row));
  const sum = (name: 'slots' | 'busy_slots') => markets.reduce((total, market) => total + (market[name] ?? 0), 0);
  const [slots, busy] = [sum('slots'), sum('busy_slots')];
  if (slots === 0) return <Nothing />;
  const said = `${countWhole(busy)} of ${countWhole(slots)} slots of ${markets.length === 1 ? 'one market' : `${markets.length} markets`}`;
  return <span title={said}>{Math.round((busy / slots) * 100)}%</span>;
}
