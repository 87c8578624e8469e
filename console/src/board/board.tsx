/** The board: one row for each model, alive. */
import { placeLink } from '../address.ts';
import { Sparkline } from '../charts/sparkline.tsx';
import { BOARD_PATH, type BoardRow, board, rows } from '../data/board.ts';
import { priceText } from '../format.ts';
import { Badges, Change, Count, Share, UnitPrice } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Source } from '../parts/source.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/table.tsx';

/** The screen at `/`. */
export function Board() {
  const { failure } = board.asked.value;
  const known = rows.value;
  return (
    <>
      <Heading title="Market" />
      <p class="faint">
        Prices in USD per 1M tokens. The level is the price of a market now, for input tokens at the reference mix.
      </p>
      {failure && <Failure sentence={failure} retry={() => void board.refresh()} />}
      {known === undefined ? (
        !failure && <Loading />
      ) : known.length === 0 ? (
        <Empty>No model is on sale here yet.</Empty>
      ) : (
        <DataTable label="Models" rows={known} keyOf={({ model }) => model} columns={COLUMNS} classOf={classOf} />
      )}
      <Source path={BOARD_PATH} sheet={{ name: 'market', rows: () => sheet(known ?? []) }} />
    </>
  );
}

const classOf = ({ preview }: BoardRow) => (preview ? 'unsold' : '');

const COLUMNS: readonly Column<BoardRow>[] = [
  { head: 'Model', cell: (row) => <Name row={row} /> },
  { head: 'Kind', room: 'much', cell: ({ pricing }) => pricing },
  {
    head: 'Level',
    number: true,
    cell: ({ level }) => (
      <span class="level">{level === null ? <span class="faint">fixed</span> : <UnitPrice value={level} />}</span>
    ),
  },
  {
    head: '24 h',
    cell: ({ sparkline }) => sparkline && <Sparkline values={sparkline} label={spoken(sparkline)} />,
  },
  { head: 'Change', number: true, cell: ({ change_24h_pct }) => <Change pct={change_24h_pct} /> },
  { head: 'Input', number: true, cell: ({ usd_per_million: { uncached } }) => <UnitPrice value={uncached} /> },
  {
    head: 'Cached input',
    number: true,
    room: 'much',
    cell: ({ usd_per_million: { cached } }) => <UnitPrice value={cached} />,
  },
  { head: 'Output', number: true, cell: ({ usd_per_million: { output } }) => <UnitPrice value={output} /> },
  {
    head: 'Quote',
    number: true,
    room: 'some',
    title: 'What a request that must start at once bids',
    cell: ({ quote }) => <UnitPrice value={quote?.price ?? null} />,
  },
  { head: 'Uptime', number: true, room: 'some', cell: ({ uptime_pct }) => <Share pct={uptime_pct} /> },
  { head: 'Tokens, 24 h', number: true, room: 'much', cell: ({ total_tokens }) => <Count value={total_tokens} /> },
];

function Name({ row }: { readonly row: BoardRow }) {
  return (
    <>
      <a class="name" href={placeLink('model', row.model)}>
        {row.display_name}
      </a>
      <Badges of={row} />
      {row.display_name !== row.model && <span class="id">{row.model}</span>}
      {row.preview && <span class="id">Not sold yet, prices are simulated</span>}
    </>
  );
}

function spoken(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  return `Level over 24 hours, from ${priceText(Math.min(...known))} to ${priceText(Math.max(...known))}`;
}

function sheet(known: readonly BoardRow[]) {
  const head = ['model', 'pricing', 'level', 'uncached', 'cached', 'output', 'change_24h_pct', 'quote', 'uptime_pct'];
  const lines = known.map((row) => {
    const { uncached, cached, output } = row.usd_per_million;
    const prices = [row.level, uncached, cached, output];
    const rest = [row.change_24h_pct, row.quote?.price ?? null, row.uptime_pct, row.total_tokens];
    return [row.model, row.pricing, ...prices, ...rest];
  });
  return [[...head, 'total_tokens'], ...lines];
}
