/** The book of one market: what waits at which bid, what runs, and what waits for money. */
import { placeLink } from '../address.ts';
import { useSource } from '../data/polled.ts';
import { countWhole } from '../format.ts';
import { Count, Nothing, Stick, UnitPrice } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { AccountName } from './account-name.tsx';
import { binned, type Step } from './bins.ts';
import { FiguresPage } from './figures-page.tsx';
import { Foretell } from './foretell.tsx';
import type { PageProps } from './page.ts';

const EVERY_MS = 3_000;
/** For their levels. */
const MODELS_EVERY_MS = 5_000;

type Model = Schemas['OverviewModel'];
type Figures = Schemas['Book'];

/** The page at `#/book/MODEL`. */
export function BookPage({ rest }: PageProps) {
  const load = () => granted(settings.GET('/console/api/overview'));
  const source = useSource('models', load, MODELS_EVERY_MS);
  return (
    <Shown source={source}>
      {({ models }) => {
        const model = models.find((one) => one.model === rest) ?? models[0];
        return model ? <OfModel model={model} models={models} /> : <Empty>The configuration has no models.</Empty>;
      }}
    </Shown>
  );
}

function OfModel({ model: shown, models }: { readonly model: Model; readonly models: readonly Model[] }) {
  const { model } = shown;
  const ask = () => granted(settings.GET('/console/api/book', { params: { query: { model } } }));
  return (
    <FiguresPage
      title="Book"
      path={`/console/api/book?${new URLSearchParams({ model })}`}
      ask={ask}
      everyMs={EVERY_MS}
      sheet={(book) => ({ name: `${model}-book`, rows: () => rowsOf(book) })}
      beside={() => <Choose {...{ model, models }} />}
      below={({ slots }) =>
        shown.pricing === 'market' && slots !== null && <Foretell key={model} {...{ model, slots }} />
      }
    >
      {(book) => (
        <>
          <Now of={book} level={shown.level} />
          <Waiting of={book} fixed={shown.pricing === 'fixed'} />
        </>
      )}
    </FiguresPage>
  );
}

function Choose({ model, models }: { readonly model: string; readonly models: readonly Model[] }) {
  return (
    <select
      aria-label="Model"
      value={model}
      onChange={({ currentTarget }) => {
        location.hash = placeLink('book', currentTarget.value);
      }}
    >
      {models.map(({ model }) => (
        <option key={model}>{model}</option>
      ))}
    </select>
  );
}

function Now({ of: book, level }: { readonly of: Figures; readonly level: number | null }) {
  const figures = [
    ['Waiting', book.waiting, 'Orders that wait for a slot'],
    ['Executing', book.executing, 'Orders that hold a slot'],
    ['Parked', book.parked, 'Orders of this gateway that wait for money of their account or key'],
    ['Slots', book.slots, 'Of healthy pods'],
  ] as const;
  return (
    <dl class="now">
      {level !== null && (
        <div title="USD per 1M input tokens at the reference mix">
          <dt>Level</dt>
          <dd class="big">
            <UnitPrice value={level} />
          </dd>
        </div>
      )}
      {figures.map(([name, value, title]) => (
        <div key={name} title={title}>
          <dt>{name}</dt>
          <dd class="big">{value === null ? <Nothing /> : <Count value={value} />}</dd>
        </div>
      ))}
    </dl>
  );
}

function Waiting({ of: { waiting, bids, deeper, turns }, fixed }: { readonly of: Figures; readonly fixed: boolean }) {
  if (waiting === null)
    return <Empty>Another gateway has the book of this market, or it is a preview: nothing is known of it here.</Empty>;
  if (waiting === 0) return <Empty>Nothing waits: a new order starts at once.</Empty>;
  if (fixed) return <Turns of={turns} />;
  return (
    <>
      <Bids steps={binned(bids)} />
      {deeper !== null && deeper > 0 && (
        <p class="faint small">
          {countWhole(deeper)} more orders bid less than these, which are the first {countWhole(waiting - deeper)}.
        </p>
      )}
    </>
  );
}

/** Nobody bids at a fixed price. */
function Turns({ of }: { readonly of: Figures['turns'] }) {
  return (
    <>
      <p>The price is fixed: accounts take turns, and the first of these is next.</p>
      <DataTable
        label="Accounts that wait, the next one first"
        rows={of}
        keyOf={({ account_id }) => account_id}
        columns={[
          { head: 'Account', cell: ({ account_id }) => <AccountName id={account_id} /> },
          { head: 'Waiting', number: true, cell: ({ waiting }) => countWhole(waiting) },
          { head: 'Executing', number: true, cell: ({ executing }) => countWhole(executing) },
        ]}
      />
    </>
  );
}

/** The best first: the highest bid runs next. */
function Bids({ steps }: { readonly steps: readonly Step[] }) {
  const most = Math.max(...steps.map(({ orders }) => orders));
  return (
    <DataTable
      label="Waiting bids, the best first"
      rows={steps}
      keyOf={({ low }) => String(low)}
      columns={[
        {
          ...{ head: 'Bid', number: true },
          cell: ({ low, high }) => (
            <>
              <UnitPrice value={low} />
              {high > low && (
                <>
                  {' to '}
                  <UnitPrice value={high} />
                </>
              )}
            </>
          ),
        },
        {
          head: 'Orders',
          cell: ({ orders }) => (
            <span class="size">
              <Stick share={orders / most} />
              {countWhole(orders)}
            </span>
          ),
        },
        {
          ...{ head: 'Total', number: true, title: 'These orders and those that bid more' },
          cell: ({ above }) => countWhole(above),
        },
      ]}
    />
  );
}

/** Of a market the bids, of a fixed price the turns. */
function rowsOf({ bids, turns }: Figures) {
  if (turns.length === 0) return [['price', 'orders'], ...bids.map(({ price, orders }) => [price, orders])];
  return [
    ['account_id', 'waiting', 'executing'],
    ...turns.map((turn) => [turn.account_id, turn.waiting, turn.executing]),
  ];
}
