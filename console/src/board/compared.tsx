/** Up to four models beside each other. */
import { placeLink } from '../address.ts';
import type { BoardRow } from '../data/board.ts';
import { askModels, type ModelFacts, SLOW_MS } from '../data/model.ts';
import { useSource } from '../data/polled.ts';
import { Change, Count, Nothing, Share, UnitPrice } from '../parts/figures.tsx';
import { type Column, DataTable } from '../parts/table.tsx';
import { startPriceOf } from './start-price.ts';

interface Compared {
  readonly row: BoardRow;
  /** Null until it is known. */
  readonly facts: ModelFacts | null;
}

/** Their figures; `clear` ends the comparison. */
export function Comparison({ rows, clear }: { readonly rows: readonly BoardRow[]; readonly clear: () => void }) {
  const { value } = useSource('models', askModels().ask, SLOW_MS).asked.value;
  const shown = rows.map((row): Compared => ({ row, facts: value?.data.find(({ id }) => id === row.model) ?? null }));
  return (
    <section class="panel later" aria-label="Comparison">
      <div class="head">
        <h2>Comparison</h2>
        <button type="button" onClick={clear}>
          Clear
        </button>
      </div>
      <DataTable label="Models that are compared" rows={shown} keyOf={({ row }) => row.model} columns={COLUMNS} />
    </section>
  );
}

const COLUMNS: readonly Column<Compared>[] = [
  { head: 'Model', cell: ({ row }) => <a href={placeLink('model', row.model)}>{row.display_name}</a> },
  { head: 'Starts now at', number: true, cell: ({ row }) => <UnitPrice value={startPriceOf(row)} /> },
  { head: 'Change', number: true, cell: ({ row }) => <Change pct={row.change_24h_pct} /> },
  { head: 'Input', number: true, cell: ({ row }) => <UnitPrice value={row.usd_per_million.uncached} /> },
  { head: 'Cached', number: true, cell: ({ row }) => <UnitPrice value={row.usd_per_million.cached} /> },
  { head: 'Output', number: true, cell: ({ row }) => <UnitPrice value={row.usd_per_million.output} /> },
  { head: 'Uptime', number: true, cell: ({ row }) => <Share pct={row.uptime_pct} /> },
  { head: 'Context', number: true, cell: ({ facts }) => <Tokens value={facts?.context_length} /> },
  { head: 'Longest output', number: true, cell: ({ facts }) => <Tokens value={facts?.max_output_length} /> },
  { head: 'Images', cell: ({ facts }) => (facts === null ? <Nothing /> : facts.accepts_images ? 'yes' : 'no') },
];

function Tokens({ value }: { readonly value: number | undefined }) {
  return value === undefined ? <Nothing /> : <Count value={value} />;
}
