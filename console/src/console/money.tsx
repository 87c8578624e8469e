/** Money: the audit, what was sold and what of it was estimated, refunded and written off, and what was moved by hand. */
import { useMemo } from 'preact/hooks';
import { placeLink } from '../address.ts';
import { useSource } from '../data/polled.ts';
import { countWhole } from '../format.ts';
import { Moment, Money, Nothing, Share } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { Source } from '../parts/source.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { AuditSection } from './audit.tsx';
import { DayChart } from './day-chart.tsx';
import type { PageProps } from './page.ts';
import { Paged } from './paged.tsx';

const EVERY_MS = 15_000;
const PATH = '/console/api/money';
const TRANSFERS = '/console/api/transfers';
const LIMIT = 20;

type Counted = Schemas['Money'];
type Sold = Pick<
  Schemas['SoldDay'],
  'orders' | 'estimated_orders' | 'charged_usd' | 'estimated_usd' | 'refunded_usd' | 'written_off_usd'
>;

/** The page at `#/money`. */
export function MoneyPage({ role }: PageProps) {
  return (
    <>
      <Heading title="Money" />
      <AuditSection mayAct={role !== 'viewer'} />
      <SoldSection />
      <section>
        <h2>Credits and refunds</h2>
        <Transfers />
      </section>
    </>
  );
}

function SoldSection() {
  const source = useSource(PATH, () => granted(settings.GET(PATH)), EVERY_MS);
  const { value } = source.asked.value;
  const sheet = value && { name: 'money', rows: () => sheetOf(value) };
  return (
    <section aria-label="Sold">
      <div class="head">
        <h2>Sold in 35 days</h2>
        {value?.as_of && (
          <span class="faint small">
            As the audit of <Moment ms={Date.parse(value.as_of)} /> counted it, without probes
          </span>
        )}
      </div>
      <Shown source={source}>{(sold) => <Figures of={sold} />}</Shown>
      <Source path={PATH} {...(sheet ? { sheet } : {})} />
    </section>
  );
}

function Figures({ of: { as_of, days, models } }: { readonly of: Counted }) {
  if (as_of === null) return <Empty>An audit sums what was sold, and none has ended yet: press Audit now.</Empty>;
  if (days.length === 0) return <Empty>Nothing was sold in the 35 days before the audit.</Empty>;
  return (
    <>
      <Earned days={days} />
      <SoldTable label="By model" first="Model" rows={models.map((sold) => [sold.model, sold])} />
      <SoldTable label="By day" first="Day (UTC)" rows={days.map((sold) => [sold.day, sold])} />
    </>
  );
}

/** What was earned a day. There is no margin: the configuration has no cost of pods. */
function Earned({ days }: { readonly days: Counted['days'] }) {
  const net = useMemo(() => days.map((sold) => ({ day: sold.day, usd: netOf(sold) })), [days]);
  return (
    <>
      <DayChart label="Net revenue" days={net} />
      <p class="faint small">Margins are not shown: the configuration does not say what pods cost.</p>
    </>
  );
}

interface SoldTableProps {
  readonly label: string;
  readonly first: string;
  readonly rows: readonly (readonly [string, Sold])[];
}

function SoldTable({ label, first, rows }: SoldTableProps) {
  return (
    <DataTable
      label={label}
      rows={rows}
      keyOf={([name]) => name}
      columns={[{ head: first, cell: ([name]) => name }, ...SOLD_COLUMNS]}
    />
  );
}

const SOLD_COLUMNS: readonly Column<readonly [string, Sold]>[] = [
  { head: 'Orders', number: true, cell: ([, { orders }]) => countWhole(orders) },
  { head: 'Charged', number: true, cell: ([, { charged_usd }]) => <Money value={charged_usd} /> },
  { head: 'Refunded', number: true, cell: ([, { refunded_usd }]) => <Money value={refunded_usd} /> },
  { head: 'Net', number: true, cell: ([, sold]) => <Money value={netOf(sold)} /> },
  {
    ...{ head: 'Estimated', number: true, room: 'some' },
    title: 'Charged for orders whose tokens the gateway counted itself',
    cell: ([, { charged_usd: all, estimated_usd: part, estimated_orders }]) =>
      all === 0 ? (
        <Nothing />
      ) : (
        <span title={`${estimated_orders} orders`}>
          <Share pct={(100 * part) / all} />
        </span>
      ),
  },
  {
    ...{ head: 'Written off', number: true, room: 'some' },
    title: 'Cost of orders above their holds, which nobody pays',
    cell: ([, { written_off_usd }]) => <Money value={written_off_usd} />,
  },
];

/** In whole nano-dollars: a difference of binary fractions is not exact. */
function netOf({ charged_usd, refunded_usd }: Sold): number {
  return (Math.round(charged_usd * 1e9) - Math.round(refunded_usd * 1e9)) / 1e9;
}

function Transfers() {
  const load = (cursor: string | undefined) => {
    const query = { limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) };
    return granted(settings.GET(TRANSFERS, { params: { query } }));
  };
  return (
    <Paged
      name="transfers"
      path={`${TRANSFERS}?limit=${LIMIT}`}
      load={load}
      empty="No account was credited or refunded yet. Each top-up and refund comes here, by card or by hand."
      columns={['entry_id', 'created_at', 'account_id', 'account_name', 'kind', 'order_id', 'reason', 'amount_usd']}
      cells={(row) => [
        ...[row.entry_id, row.created_at, row.account_id, row.account_name, row.kind],
        ...[row.order_id, row.reason, row.amount_usd],
      ]}
    >
      {(rows) => (
        <DataTable
          label="Credits and refunds"
          rows={rows}
          keyOf={({ entry_id }) => entry_id}
          columns={[
            { head: 'When', cell: ({ created_at }) => <Moment ms={Date.parse(created_at)} /> },
            { head: 'Entry', cell: ({ kind }) => KINDS[kind] ?? kind },
            {
              head: 'Account',
              cell: ({ account_id: id, account_name }) => <a href={placeLink('accounts', id)}>{account_name}</a>,
            },
            {
              head: 'For',
              cell: ({ order_id, reason }) => (
                <>
                  {order_id !== null && <a href={placeLink('orders', order_id)}>an order</a>}
                  {reason !== null && <span class="faint"> {reason}</span>}
                </>
              ),
            },
            { head: 'Amount', number: true, cell: ({ amount_usd }) => <Money exact value={amount_usd} /> },
          ]}
        />
      )}
    </Paged>
  );
}

/** Kinds of entries in words. */
export const KINDS: Readonly<Record<string, string>> = {
  charge: 'charge',
  top_up: 'top-up',
  refund: 'refund',
  reversal: 'taken back',
};

function sheetOf({ as_of, days, models }: Counted) {
  const head = ['as_of', 'day', 'model', 'orders', 'estimated_orders', 'charged_usd', 'estimated_usd', 'refunded_usd'];
  const cells = (sold: Sold) => [
    ...[sold.orders, sold.estimated_orders, sold.charged_usd, sold.estimated_usd, sold.refunded_usd],
    sold.written_off_usd,
  ];
  return [
    [...head, 'written_off_usd'],
    ...days.map((row) => [as_of, row.day, null, ...cells(row)]),
    ...models.map((row) => [as_of, null, row.model, ...cells(row)]),
  ];
}
