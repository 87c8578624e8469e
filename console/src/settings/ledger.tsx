/** The entries of the ledger, page by page: every movement of the account's money. */
import { keep, placeLink, useChoice } from '../address.ts';
import { useSource } from '../data/polled.ts';
import { Moment, Money } from '../parts/figures.tsx';
import { PageButtons, usePages } from '../parts/pages.tsx';
import { Shown } from '../parts/shown.tsx';
import { save } from '../parts/source.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
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
  const [filter] = useChoice('entries', ['all entries', 'charges', 'all but charges']);
  const pages = usePages();
  const { cursor } = pages;
  const only = FILTERS[filter];
  const load = () => {
    const query = { limit: LIMIT, ...(only ? { only } : {}), ...(cursor === undefined ? {} : { cursor }) };
    return granted(settings.GET('/settings/api/entries', { params: { query } }));
  };
  const source = useSource(`${filter} ${cursor}`, load, EVERY_MS);
  const { value } = source.asked.value;
  return (
    <section>
      <div class="head">
        <h2>Ledger</h2>
        <span class="choices">
          <select
            aria-label="Entries"
            value={filter}
            onChange={({ currentTarget }) => keep({ entries: currentTarget.value, page: '' })}
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
      <Shown source={source}>{({ data }) => <EntryTable entries={data} />}</Shown>
      <PageButtons pages={pages} next={value?.next_cursor} />
    </section>
  );
}

function EntryTable({ entries }: { readonly entries: readonly Entry[] }) {
  if (entries.length === 0) return <Empty>There is no such entry. Each top-up, charge and refund is one.</Empty>;
  return (
    <DataTable
      label="Ledger"
      rows={entries}
      keyOf={(entry) => entry.entry_id}
      columns={[
        { head: 'When', cell: (entry) => <Moment ms={Date.parse(entry.created_at)} /> },
        { head: 'Entry', cell: ({ kind }) => KINDS[kind] ?? kind },
        { head: 'For', cell: (entry) => <For entry={entry} /> },
        { head: 'Amount', number: true, cell: (entry) => <Money exact value={entry.amount_usd} /> },
      ]}
    />
  );
}

function For({ entry: { order_id: order, model, reason } }: { readonly entry: Entry }) {
  return (
    <>
      {order !== null && <a href={placeLink('order', order)}>{model ?? 'an order'}</a>}
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
