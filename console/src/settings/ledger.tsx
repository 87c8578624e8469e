/** The entries of the ledger, page by page: every movement of the account's money. */
import { useState } from 'preact/hooks';
import { usePolled } from '../data/polled.ts';
import { Moment, Money } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { save } from '../parts/source.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { orderAddress } from './route.ts';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 15_000;
const LIMIT = 20;
const FILTERS = { 'all entries': undefined, charges: 'charges', 'all but charges': 'transfers' } as const;
const KINDS: Readonly<Record<string, string>> = {
  charge: 'charge',
  top_up: 'top-up',
  refund: 'refund',
  reversal: 'taken back',
};

type Entry = Schemas['Entry'];

/** The section of the billing screen. */
export function Ledger() {
  const [filter, setFilter] = useState<keyof typeof FILTERS>('all entries');
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const only = FILTERS[filter];
  const load = () => {
    const query = { limit: LIMIT, ...(only ? { only } : {}), ...(cursor === undefined ? {} : { cursor }) };
    return granted(settings.GET('/settings/api/entries', { params: { query } }));
  };
  const { value, failure } = usePolled(`${filter} ${cursor}`, load, EVERY_MS);
  return (
    <section>
      <div class="head">
        <h2>Ledger</h2>
        <span class="choices">
          <select
            aria-label="Entries"
            value={filter}
            onChange={({ currentTarget }) => {
              setCursors([]);
              setFilter(currentTarget.value as keyof typeof FILTERS);
            }}
          >
            {Object.keys(FILTERS).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          {value && (
            <button
              type="button"
              class="plain"
              onClick={() => save({ name: 'ledger', rows: () => sheetOf(value.data) })}
            >
              CSV
            </button>
          )}
        </span>
      </div>
      {failure && <Failure sentence={failure} />}
      {value === null ? !failure && <Loading /> : <EntryTable entries={value.data} />}
      <p class="row">
        {cursors.length > 0 && (
          <button type="button" class="button" onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer
          </button>
        )}
        {value?.next_cursor && (
          <button type="button" class="button" onClick={() => setCursors([...cursors, value.next_cursor ?? ''])}>
            Older
          </button>
        )}
      </p>
    </section>
  );
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return <Empty>There is no such entry. Each top-up, charge and refund is one.</Empty>;
  return (
    <ScrolledTable label="Ledger">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Entry</th>
          <th scope="col">For</th>
          <th scope="col" class="number">
            Amount
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.entry_id}>
            <th scope="row">
              <Moment ms={Date.parse(entry.created_at)} />
            </th>
            <td>{KINDS[entry.kind] ?? entry.kind}</td>
            <td class="reason">
              <For entry={entry} />
            </td>
            <td class="number">
              <Money exact value={entry.amount_usd} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}

function For({ entry: { order_id: order, model, reason } }: { readonly entry: Entry }) {
  return (
    <>
      {order !== null && <a href={orderAddress(order)}>{model ?? 'an order'}</a>}
      {reason !== null && <span class="faint"> {reason}</span>}
    </>
  );
}

function sheetOf(entries: readonly Entry[]) {
  const head = ['entry_id', 'created_at', 'kind', 'model', 'order_id', 'reason', 'amount_usd'];
  const rows = entries.map(({ entry_id, created_at, kind, model, order_id, reason, amount_usd }) => [
    ...[entry_id, created_at, kind, model, order_id, reason],
    amount_usd,
  ]);
  return [head, ...rows];
}
