/** The board: one row for each model, alive. */
import { Sparkline } from '../charts/sparkline.tsx';
import { BOARD_PATH, type BoardRow, board, rows } from '../data/board.ts';
import { price } from '../format.ts';
import { Badges, Change, Count, Price, Share } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Source } from '../parts/source.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { modelAddress } from '../route.ts';

/** The screen at `/`. */
export function Board() {
  const { failure } = board.asked.value;
  const known = rows.value;
  return (
    <>
      <h1>Market</h1>
      <p class="faint">
        Prices in USD per 1M tokens. The level is the price of a market now, for input tokens at the reference mix.
      </p>
      {failure && <Failure sentence={failure} retry={() => void board.refresh()} />}
      {known === undefined ? !failure && <Loading /> : <Table known={known} />}
      <Source path={BOARD_PATH} sheet={{ name: 'market', rows: () => sheet(known ?? []) }} />
    </>
  );
}

function Table({ known }: { readonly known: readonly BoardRow[] }) {
  if (known.length === 0) return <Empty>No model is on sale here yet.</Empty>;
  return (
    <ScrolledTable label="Models">
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col" class="wide">
            Kind
          </th>
          <th scope="col" class="number">
            Level
          </th>
          <th scope="col">24 h</th>
          <th scope="col" class="number">
            Change
          </th>
          <th scope="col" class="number">
            Input
          </th>
          <th scope="col" class="number wide">
            Cached input
          </th>
          <th scope="col" class="number">
            Output
          </th>
          <th scope="col" class="number wide">
            Quote
          </th>
          <th scope="col" class="number wide">
            Uptime
          </th>
          <th scope="col" class="number wide">
            Tokens, 24 h
          </th>
        </tr>
      </thead>
      <tbody>
        {known.map((row) => (
          <Row key={row.model} row={row} />
        ))}
      </tbody>
    </ScrolledTable>
  );
}

function Row({ row }: { readonly row: BoardRow }) {
  const { cached, uncached, output } = row.usd_per_million;
  return (
    <tr class={row.preview ? 'unsold' : undefined}>
      <th scope="row">
        <a class="name" href={modelAddress(row.model)}>
          {row.display_name}
        </a>
        <Badges of={row} />
        {row.display_name !== row.model && <span class="id">{row.model}</span>}
        {row.preview && <span class="id">Not sold yet, prices are simulated</span>}
      </th>
      <td class="wide">{row.pricing}</td>
      <td class="number level">
        {row.level === null ? <span class="faint">fixed</span> : <Price value={row.level} />}
      </td>
      <td>{row.sparkline && <Sparkline values={row.sparkline} label={spoken(row.sparkline)} />}</td>
      <td class="number">
        <Change pct={row.change_24h_pct} />
      </td>
      <td class="number">
        <Price value={uncached} />
      </td>
      <td class="number wide">
        <Price value={cached} />
      </td>
      <td class="number">
        <Price value={output} />
      </td>
      <td class="number wide">
        <Price value={row.quote?.price ?? null} />
      </td>
      <td class="number wide">
        <Share pct={row.uptime_pct} />
      </td>
      <td class="number wide">
        <Count value={row.total_tokens} />
      </td>
    </tr>
  );
}

function spoken(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  return `Level over 24 hours, from ${price(Math.min(...known))} to ${price(Math.max(...known))}`;
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
