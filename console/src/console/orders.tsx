/** Orders of all accounts: listed, filtered, and found by their id. */

import { useState } from 'preact/hooks';
import { keep, placeLink, present, useChoice, useText } from '../address.ts';
import { Form, useAct } from '../parts/act.tsx';
import { Moment, Money } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { AccountName } from './account-name.tsx';
import { OrderPage } from './order.tsx';
import type { PageProps } from './page.ts';
import { Paged } from './paged.tsx';

const PATH = '/console/api/latest-orders';
const OF_ONE = '/console/api/orders';
const LIMIT = 50;
/** A page is a short range of an index. */
const EVERY_MS = 3_000;
/** What an address says before the id of an account. */
const OF_ACCOUNT = 'account:';

/** The page at `#/orders`, at `#/orders/ID` of one, and at `#/orders/account:ID` of those of an account. */
export function OrdersPage({ role, rest }: PageProps) {
  const account = rest.startsWith(OF_ACCOUNT) ? rest.slice(OF_ACCOUNT.length) : '';
  if (rest !== '' && account === '') return <OrderPage key={rest} id={rest} mayRead={role === 'operator'} />;
  return (
    <>
      <Heading title="Orders">
        <span class="faint small">The list follows new orders by itself.</span>
      </Heading>
      <Find />
      {account !== '' && (
        <h2>
          Of the account <AccountName id={account} />
        </h2>
      )}
      <Orders key={account} account={account} />
    </>
  );
}

/** By any id that a caller may have, or the first characters of the order's. */
function Find() {
  const [text, setText] = useState('');
  const find = useAct(async () => {
    const sought = text.trim();
    for (const name of ['any_id', 'id']) {
      const query = { limit: LIMIT, [name]: sought };
      const [only, ...others] = (await granted(settings.GET(PATH, { params: { query } }))).data;
      if (!only) continue;
      location.hash = others.length === 0 ? placeLink('orders', only.id) : placeLink('orders', '', { [name]: sought });
      return;
    }
    throw new Error('No order has this id, or one that begins like this.');
  });
  return (
    <Form act={find}>
      <label>
        Id of an order, request, batch, key or account, or the first characters of an order{' '}
        <input
          required
          pattern=".*\S.*"
          minLength={4}
          maxLength={128}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit" class="button">
        Find
      </button>
      <span class="faint small">
        It is in the header <code>x-service-order-id</code> of an answer, in its receipt, and in the log beside the id
        of its request.
      </span>
    </Form>
  );
}

const STATUSES = {
  'any status': '',
  working: 'queued,executing',
  done: 'done',
  'not answered': 'error,canceled,expired',
};
type Status = keyof typeof STATUSES;

function Orders({ account }: { readonly account: string }) {
  const [status] = useChoice<Status>('status', ['any status', 'working', 'done', 'not answered']);
  const [model] = useText('model');
  const [id] = useText('id');
  const [anyId] = useText('any_id');
  const [tag] = useText('tag');
  const wanted = present({ status: STATUSES[status], model, id, any_id: anyId, tag });
  const filter = { limit: LIMIT, ...wanted, ...(account === '' ? {} : { account, include: 'usage' }) };
  const load = async (cursor: string | undefined) => {
    const query = { ...filter, ...(cursor === undefined ? {} : { cursor }) };
    if (account === '') return granted(settings.GET(PATH, { params: { query } }));
    const list = await granted(settings.GET(OF_ONE, { params: { query: { ...query, account } } }));
    return { ...list, data: list.data.map((order) => ofAccount(order, account)) };
  };
  return (
    <>
      <div class="row filters">
        <select
          aria-label="Status"
          value={status}
          onChange={({ currentTarget }) => keep({ status: currentTarget.value, page: '' })}
        >
          {Object.keys(STATUSES).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        {Object.entries({ model, tag }).map(([name, text]) => (
          <input
            key={name}
            aria-label={name === 'tag' ? 'Tag' : 'Model'}
            placeholder={`any ${name}`}
            // Not `value`: a refresh while somebody types would take the text away.
            defaultValue={text}
            onChange={({ currentTarget }) => keep({ [name]: currentTarget.value.trim(), page: '' })}
          />
        ))}
        {id + anyId !== '' && (
          <button type="button" class="plain" onClick={() => keep({ id: '', any_id: '', page: '' })}>
            Not only those {id === '' ? `of ${anyId}` : `that begin with ${id}`}
          </button>
        )}
      </div>
      <Paged
        name="orders"
        path={`${account === '' ? PATH : OF_ONE}?${new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))}`}
        load={load}
        everyMs={EVERY_MS}
        empty="There is no such order. Each call of a model is one."
        columns={['id', 'created_at', 'account_id', 'model', 'kind', 'status', 'charged_usd', 'finished_at']}
        cells={(row) => [
          ...[row.id, row.created_at, row.account_id, row.model, row.kind, row.status],
          ...[row.charged_usd, row.finished_at],
        ]}
      >
        {(rows) => <OrderTable rows={rows} isOfOne={account !== ''} />}
      </Paged>
    </>
  );
}

function ofAccount({ usage, ...order }: Schemas['Order'], account: string): Schemas['ListedSoldOrder'] {
  return { ...order, account_id: account, account_name: '', charged_usd: usage?.charged_usd ?? null };
}

interface OrderTableProps {
  readonly rows: readonly Schemas['ListedSoldOrder'][];
  /** Whether all are of one account, whose name stands above them. */
  readonly isOfOne: boolean;
}

function OrderTable({ rows, isOfOne }: OrderTableProps) {
  return (
    <DataTable
      label="Orders"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Order',
          cell: ({ id }) => (
            <a class="path" href={placeLink('orders', id)}>
              {id}
            </a>
          ),
        },
        !isOfOne && {
          head: 'Account',
          cell: ({ account_id, account_name }) => <a href={placeLink('accounts', account_id)}>{account_name}</a>,
        },
        {
          head: 'Model',
          cell: ({ model, kind }) => (
            <>
              {model}
              <span class="id">{kind}</span>
            </>
          ),
        },
        { head: 'Status', cell: ({ status }) => status },
        { head: 'Sent', cell: ({ created_at }) => <Moment ms={Date.parse(created_at)} /> },
        { head: 'Charged', number: true, cell: ({ charged_usd }) => <Money value={charged_usd} /> },
      ]}
    />
  );
}
