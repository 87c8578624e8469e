/** How busy the slots of the busiest markets are. Few are asked: each is a request of its own. */
import { useMemo } from 'preact/hooks';
import type { BoardRow } from '../data/board.ts';
import { askDepth } from '../data/model.ts';
import { useSource } from '../data/polled.ts';
import { countWhole } from '../format.ts';
import { Nothing } from '../parts/figures.tsx';
import { isOnSale } from './start-price.ts';

const MARKETS_MAX = 3;
const EVERY_MS = 600_000;

/** The share of the slots that are taken. */
export function BusyShare({ rows }: { readonly rows: readonly BoardRow[] }) {
  const models = useMemo(() => busiestOf(rows), [rows.length]);
  const load = () => Promise.all(models.map((model) => askDepth(model).ask()));
  const { value } = useSource(models.join('\n'), load, EVERY_MS).asked.value;
  const sum = (name: 'slots' | 'busy_slots') => (value ?? []).reduce((total, depth) => total + (depth[name] ?? 0), 0);
  const [slots, busy] = [sum('slots'), sum('busy_slots')];
  if (slots === 0) return <Nothing />;
  const said = `${countWhole(busy)} of ${countWhole(slots)} slots of ${models.length === 1 ? 'the busiest market' : `the ${models.length} busiest markets`}`;
  return <span title={said}>{Math.round((busy / slots) * 100)}%</span>;
}

function busiestOf(rows: readonly BoardRow[]): readonly string[] {
  return rows
    .filter((row) => row.level !== null && isOnSale(row))
    .toSorted((one, other) => other.total_tokens - one.total_tokens)
    .slice(0, MARKETS_MAX)
    .map(({ model }) => model);
}
