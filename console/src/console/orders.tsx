/** Orders of all accounts: found by their id, or as those of an account. */
import { useState } from 'preact/hooks';
import { Moment, Money } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { OrderPage } from './order.tsx';
import { Paged } from './paged.tsx';
import { type PageProps, pageAddress } from './route.ts';

const PATH = '/console/api/orders';
const LIMIT = 50;
/** What an address says before the id of an account. */
const OF_ACCOUNT = 'account:';

/** The page at `#/orders`, at `#/orders/ID` of one, and at `#/orders/account:ID` of those of an account. */
export function OrdersPage({ role, rest }: PageProps) {
  const account = rest.startsWith(OF_ACCOUNT) ? rest.slice(OF_ACCOUNT.length) : null;
  if (rest !== '' && account === null) return <OrderPage key={rest} id={rest} mayRead={role === 'operator'} />;
  return (
    <>
      <div class="head">
        <h1>Orders</h1>
      </div>
      <Find form="One order" label="Id of an order" button="Show it" rest={(id) => id} />
      <Find
        key={account}
        form="Orders of an account"
        label="Id of an account"
        button="List its orders"
        id={account ?? ''}
        rest={(id) => OF_ACCOUNT + id}
      />
      {account === null ? (
        <p class="faint">
          The id of an order is in the header <code>x-service-order-id</code> of its answer, in its receipt, and in the
          log beside the id of its request.
        </p>
      ) : (
        <OfAccount key={rest} account={account} />
      )}
    </>
  );
}

interface FindProps {
  /** Names the form; `label` its field, and `button` its button. */
  readonly form: string;
  readonly label: string;
  readonly button: string;
  /** What the field has at first. */
  readonly id?: string;
  /** What the address of the page says of an id. */
  readonly rest: (id: string) => string;
}

function Find({ form, label, button, id = '', rest }: FindProps) {
  const [asked, setAsked] = useState(id);
  return (
    <form
      class="row"
      aria-label={form}
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = pageAddress('orders', rest(asked.trim()));
      }}
    >
      <label>
        {label}{' '}
        <input
          required
          pattern=".*\S.*"
          maxLength={64}
          value={asked}
          onInput={({ currentTarget }) => setAsked(currentTarget.value)}
        />
      </label>
      <button type="submit" class="button">
        {button}
      </button>
    </form>
  );
}

function OfAccount({ account }: { readonly account: string }) {
  const load = (cursor: string | undefined) => {
    const query = { account, limit: LIMIT, include: 'usage', ...(cursor === undefined ? {} : { cursor }) };
    return granted(settings.GET(PATH, { params: { query } }));
  };
  return (
    <>
      <h2>
        Of the account <a href={pageAddress('accounts', account)}>{account}</a>
      </h2>
      <Paged
        name="orders"
        path={`${PATH}?account=${encodeURIComponent(account)}&limit=${LIMIT}&include=usage`}
        load={load}
        empty="This account has no orders. Each call of a model with one of its keys is one."
        columns={['id', 'created_at', 'model', 'kind', 'status', 'charged_usd', 'finished_at']}
        cells={(row) => [
          ...[row.id, row.created_at, row.model, row.kind, row.status],
          ...[row.usage?.charged_usd ?? null, row.finished_at],
        ]}
      >
        {(rows) => <OrderTable rows={rows} />}
      </Paged>
    </>
  );
}

function OrderTable({ rows }: { readonly rows: readonly Schemas['Order'][] }) {
  return (
    <ScrolledTable label="Orders">
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">Model</th>
          <th scope="col">Status</th>
          <th scope="col">Sent</th>
          <th scope="col" class="number">
            Charged
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, model, kind, status, created_at, usage }) => (
          <tr key={id}>
            <th scope="row">
              <a class="path" href={pageAddress('orders', id)}>
                {id}
              </a>
            </th>
            <td>
              {model}
              <span class="id">{kind}</span>
            </td>
            <td>{status}</td>
            <td>
              <Moment ms={Date.parse(created_at)} />
            </td>
            <td class="number">
              <Money value={usage?.charged_usd ?? null} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}
