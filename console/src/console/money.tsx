/** Money: the audit, what was sold and what of it was estimated, refunded and written off, and what was moved by hand. */
import { useEffect, useMemo } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { countWhole } from '../format.ts';
import { Moment, Money, Nothing, Share } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Source } from '../parts/source.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { AuditSection } from './audit.tsx';
import { Paged } from './paged.tsx';
import { type PageProps, pageAddress } from './route.ts';

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
      <div class="head">
        <h1>Money</h1>
      </div>
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
  const source = useMemo(() => polled(() => granted(settings.GET(PATH)), EVERY_MS), []);
  useEffect(() => source.start(), [source]);
  const { value, failure } = source.asked.value;
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
      {failure && <Failure sentence={failure} retry={() => void source.refresh()} />}
      {value === null ? !failure && <Loading /> : <Figures of={value} />}
      <Source path={PATH} {...(sheet ? { sheet } : {})} />
    </section>
  );
}

function Figures({ of: { as_of, days, models } }: { readonly of: Counted }) {
  if (as_of === null) return <Empty>An audit counts it; none has ended yet.</Empty>;
  if (days.length === 0) return <Empty>Nothing was sold in the 35 days before the audit.</Empty>;
  return (
    <>
      <SoldTable label="By model" first="Model" rows={models.map((sold) => [sold.model, sold])} />
      <SoldTable label="By day" first="Day (UTC)" rows={days.map((sold) => [sold.day, sold])} />
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
    <ScrolledTable label={label}>
      <thead>
        <tr>
          <th scope="col">{first}</th>
          {['Orders', 'Charged', 'Refunded', 'Net'].map((text) => (
            <th key={text} scope="col" class="number">
              {text}
            </th>
          ))}
          <th scope="col" class="number" title="Charged for orders whose tokens the gateway counted itself">
            Estimated
          </th>
          <th scope="col" class="number" title="Cost of orders above their holds, which nobody pays">
            Written off
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, sold]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{countWhole(sold.orders)}</td>
            <td class="number">
              <Money value={sold.charged_usd} />
            </td>
            <td class="number">
              <Money value={sold.refunded_usd} />
            </td>
            <td class="number">
              <Money value={(Math.round(sold.charged_usd * 1e9) - Math.round(sold.refunded_usd * 1e9)) / 1e9} />
            </td>
            <td class="number" title={`${sold.estimated_orders} orders`}>
              {sold.charged_usd === 0 ? <Nothing /> : <Share pct={(100 * sold.estimated_usd) / sold.charged_usd} />}
            </td>
            <td class="number">
              <Money value={sold.written_off_usd} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
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
      columns={['entry_id', 'created_at', 'account_id', 'kind', 'order_id', 'reason', 'amount_usd']}
      cells={(row) => [
        ...[row.entry_id, row.created_at, row.account_id, row.kind, row.order_id, row.reason],
        row.amount_usd,
      ]}
    >
      {(rows) => (
        <ScrolledTable label="Credits and refunds">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Entry</th>
              <th scope="col">Account</th>
              <th scope="col">For</th>
              <th scope="col" class="number">
                Amount
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ entry_id, created_at, kind, account_id, order_id, reason, amount_usd }) => (
              <tr key={entry_id}>
                <th scope="row">
                  <Moment ms={Date.parse(created_at)} />
                </th>
                <td>{KINDS[kind] ?? kind}</td>
                <td>
                  <a class="path" href={pageAddress('accounts', account_id)}>
                    {account_id}
                  </a>
                </td>
                <td class="reason">
                  {order_id !== null && <a href={pageAddress('orders', order_id)}>an order</a>}
                  {reason !== null && <span class="faint"> {reason}</span>}
                </td>
                <td class="number">
                  <Money exact value={amount_usd} />
                </td>
              </tr>
            ))}
          </tbody>
        </ScrolledTable>
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
