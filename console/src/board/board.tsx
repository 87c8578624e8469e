/** The board: what this is, and one row for each model, alive. */
import { keep, placeLink, useChoice, useText } from '../address.ts';
import { Sparkline } from '../charts/sparkline.tsx';
import { BOARD_PATH, type BoardRow, board, rows } from '../data/board.ts';
import { countWhole, priceText } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { Badges, Change, Count, Nothing, Share, Ticking, UnitPrice } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Hint } from '../parts/hint.tsx';
import { Source } from '../parts/source.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/table.tsx';
import { later } from '../settings/later.tsx';
import { BusyShare } from './busy-share.tsx';
import { favorites, toggleFavorite } from './favorites.ts';
import { cheapestOf, quoteOf, startPriceOf } from './start-price.ts';

const COMPARED_MAX = 4;
const Comparison = later(async () => (await import('./compared.tsx')).Comparison);
const SHOWN = ['all', 'market', 'fixed', 'favorites'] as const;

/** The screen at `/`; with `accounts` it leads to the playground and to keys. */
export function Board({ accounts }: { readonly accounts: boolean }) {
  const { failure } = board.asked.value;
  const known = rows.value;
  return (
    <>
      <div class="hero">
        <div>
          <Heading title="Market" />
          <p class="faint">Language models at a price that demand sets: name your limit, pay the level, never more.</p>
        </div>
        {known !== undefined && known.length > 0 && <Now rows={known} />}
        <div class="choices">
          {accounts && (
            <a class="button primary" href={placeLink('playground')}>
              Try it
            </a>
          )}
          <a class="button" href={placeLink('start')}>
            Get a key
          </a>
        </div>
      </div>
      {failure && <Failure sentence={failure} retry={() => void board.refresh()} />}
      {known === undefined ? (
        !failure && <Loading />
      ) : known.length === 0 ? (
        <Empty>No model is on sale here yet.</Empty>
      ) : (
        <Models known={known} />
      )}
      <Source path={BOARD_PATH} sheet={{ name: 'market', rows: () => sheet(known ?? []) }} />
    </>
  );
}

function Now({ rows: known }: { readonly rows: readonly BoardRow[] }) {
  const cheapest = cheapestOf(known);
  return (
    <dl class="now">
      <div>
        <dt>Cheapest start now</dt>
        <dd>
          {cheapest === null ? (
            <Nothing />
          ) : (
            <>
              <UnitPrice value={startPriceOf(cheapest)} /> <span class="faint small">per 1M at the reference mix,</span>{' '}
              <a href={placeLink('model', cheapest.model)}>{cheapest.display_name}</a>
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>Capacity busy</dt>
        <dd>
          <BusyShare rows={known} />
        </dd>
      </div>
    </dl>
  );
}

function Models({ known }: { readonly known: readonly BoardRow[] }) {
  const [search, write] = useText('search');
  const [shown, show] = useChoice('show', SHOWN);
  const compared = useCompared(known);
  const found = known.filter((row) => fits(row, search.trim().toLowerCase(), shown));
  return (
    <>
      <div class="toolbar">
        <input
          type="search"
          aria-label="Search models"
          placeholder="Search models"
          value={search}
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
        <Choice label="Models" options={SHOWN.map((name) => [name, LABELS[name]])} value={shown} onChoose={show} />
        <span class="faint small">
          <span role="status">
            {countWhole(found.length)} {found.length === 1 ? 'model' : 'models'}
          </span>
          , USD per 1M tokens
        </span>
      </div>
      {compared.length > 0 && <Comparison rows={compared} clear={() => keep({ compare: '' })} />}
      {found.length === 0 ? (
        <Empty>{shown === 'favorites' && search === '' ? 'Mark models with the star.' : 'No such model.'}</Empty>
      ) : (
        <DataTable
          label="Models"
          rows={found}
          keyOf={({ model }) => model}
          columns={COLUMNS}
          classOf={classOf}
          order="sort"
        />
      )}
    </>
  );
}

const LABELS = { all: 'All', market: 'Market', fixed: 'Fixed price', favorites: 'Favorites' } as const;

function fits({ model, display_name, pricing }: BoardRow, search: string, shown: (typeof SHOWN)[number]): boolean {
  if (shown === 'favorites' ? !favorites.value.has(model) : shown !== 'all' && shown !== pricing) return false;
  return model.toLowerCase().includes(search) || display_name.toLowerCase().includes(search);
}

/** The models that are compared, in the order in which they were chosen. */
function useCompared(known: readonly BoardRow[]): readonly BoardRow[] {
  const [text] = useText('compare');
  return text
    .split(' ')
    .flatMap((model) => known.filter((row) => row.model === model))
    .slice(0, COMPARED_MAX);
}

const classOf = ({ preview }: BoardRow) => (preview ? 'unsold' : '');

const COLUMNS: readonly Column<BoardRow>[] = [
  { head: 'Model', cell: (row) => <Name row={row} />, sort: ({ display_name }) => display_name },
  {
    head: 'Level',
    number: true,
    hint: <Hint word="level" />,
    sort: ({ level }) => level,
    cell: (row) =>
      row.level === null ? (
        <>
          <UnitPrice value={startPriceOf(row)} /> <span class="faint">fixed</span>
        </>
      ) : (
        <span class="level">
          <Ticking value={row.level} />
        </span>
      ),
  },
  { head: '24 h', cell: ({ sparkline }) => sparkline && <Trend values={sparkline} /> },
  {
    head: 'Change',
    number: true,
    sort: ({ change_24h_pct }) => change_24h_pct,
    cell: ({ change_24h_pct }) => <Change pct={change_24h_pct} />,
  },
  {
    head: 'Input',
    number: true,
    sort: ({ usd_per_million }) => usd_per_million.uncached,
    cell: ({ usd_per_million: { uncached } }) => <UnitPrice value={uncached} />,
  },
  {
    head: 'Cached input',
    number: true,
    room: 'much',
    sort: ({ usd_per_million }) => usd_per_million.cached,
    cell: ({ usd_per_million: { cached } }) => <UnitPrice value={cached} />,
  },
  {
    head: 'Output',
    number: true,
    sort: ({ usd_per_million }) => usd_per_million.output,
    cell: ({ usd_per_million: { output } }) => <UnitPrice value={output} />,
  },
  {
    head: 'Quote',
    number: true,
    room: 'some',
    hint: <Hint word="quote" />,
    sort: quoteOf,
    cell: (row) => <UnitPrice value={quoteOf(row)} />,
  },
  {
    head: 'Uptime',
    number: true,
    room: 'some',
    sort: ({ uptime_pct }) => uptime_pct,
    cell: ({ uptime_pct }) => <Share pct={uptime_pct} />,
  },
  {
    head: 'Tokens, 24 h',
    number: true,
    room: 'much',
    sort: ({ total_tokens }) => total_tokens,
    cell: ({ total_tokens }) => <Count value={total_tokens} />,
  },
  { head: 'Compare', room: 'some', cell: (row) => <Compare row={row} /> },
];

function Name({ row }: { readonly row: BoardRow }) {
  return (
    <>
      <Star row={row} />
      <a class="name" href={placeLink('model', row.model)}>
        {row.display_name}
      </a>
      <Badges of={row} />
      {row.display_name !== row.model && <span class="id">{row.model}</span>}
      {row.preview && <span class="id">Not sold yet, prices are simulated</span>}
    </>
  );
}

function Trend({ values }: { readonly values: readonly (number | null)[] }) {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)].map(priceText);
  return (
    <span class="trend">
      <Sparkline values={values} label={`Level over 24 hours, from ${low} to ${high}`} />
      {known.length > 1 && (
        <span aria-hidden="true">
          <span>{high}</span>
          <span>{low}</span>
        </span>
      )}
    </span>
  );
}

function Star({ row: { model, display_name } }: { readonly row: BoardRow }) {
  const isFavorite = favorites.value.has(model);
  return (
    <button
      type="button"
      class="star"
      aria-pressed={isFavorite}
      aria-label={`Favorite: ${display_name}`}
      onClick={() => toggleFavorite(model)}
    >
      {isFavorite ? '★' : '☆'}
    </button>
  );
}

function Compare({ row: { model, display_name } }: { readonly row: BoardRow }) {
  const [text] = useText('compare');
  const compared = text.split(' ').filter((other) => other !== '');
  const isCompared = compared.includes(model);
  const choose = () => {
    const others = compared.filter((other) => other !== model);
    keep({ compare: (isCompared ? others : [...others, model]).join(' ') });
  };
  return (
    <input
      type="checkbox"
      aria-label={`Compare ${display_name}`}
      checked={isCompared}
      disabled={!isCompared && compared.length >= COMPARED_MAX}
      onChange={choose}
    />
  );
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
