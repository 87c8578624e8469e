/** The accounts: searched, and opened. One of them is a page of its own. */

import { useState } from 'preact/hooks';
import { keep, placeLink, useText } from '../address.ts';
import { Moment, Money } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { DataTable } from '../parts/table.tsx';
import { RowForm } from '../settings/row-form.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { OneAccount } from './account.tsx';
import type { PageProps } from './page.ts';
import { Paged } from './paged.tsx';

const PATH = '/console/api/accounts';
const LIMIT = 50;

/** The page at `#/accounts`, and at `#/accounts/ID`. */
export function AccountsPage({ role, rest }: PageProps) {
  return rest === '' ? <AccountList role={role} /> : <OneAccount key={rest} id={rest} role={role} />;
}

function AccountList({ role }: { readonly role: string }) {
  const [search] = useText('search');
  const [typed, setTyped] = useState(search);
  const query = { limit: LIMIT, ...(search === '' ? {} : { search }) };
  const load = (cursor: string | undefined) =>
    granted(settings.GET(PATH, { params: { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } } }));
  return (
    <>
      <Heading title="Accounts" />
      <form
        class="row"
        aria-label="Search"
        onSubmit={(event) => {
          event.preventDefault();
          keep({ search: typed.trim(), page: '' });
        }}
      >
        <label>
          Id, part of the name, or e-mail of a member{' '}
          <input
            type="search"
            maxLength={200}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          Search
        </button>
      </form>
      {role === 'operator' && <NewAccount />}
      <Paged
        key={search}
        name="accounts"
        path={`${PATH}?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`}
        load={load}
        empty={
          search === ''
            ? 'There is no account yet. An operator opens one here or with npx sluice account create NAME.'
            : 'No account on this page is found by that.'
        }
        columns={['account_id', 'name', 'status', 'balance_usd', 'held_usd', 'house', 'created_at']}
        cells={(row) => [
          ...[row.account_id, row.name, row.status, row.balance_usd, row.held_usd],
          ...[row.house, row.created_at],
        ]}
      >
        {(rows) => <AccountTable rows={rows} />}
      </Paged>
    </>
  );
}

function AccountTable({ rows }: { readonly rows: readonly Schemas['SoldTo'][] }) {
  return (
    <DataTable
      label="Accounts"
      rows={rows}
      keyOf={({ account_id }) => account_id}
      columns={[
        { head: 'Account', cell: (account) => <Name of={account} /> },
        { head: 'Status', cell: ({ status }) => <span class={status === 'active' ? '' : 'fall'}>{status}</span> },
        { head: 'Balance', number: true, cell: ({ balance_usd }) => <Money value={balance_usd} /> },
        { head: 'Held', number: true, room: 'some', cell: ({ held_usd }) => <Money value={held_usd} /> },
        { head: 'Opened', room: 'some', cell: ({ created_at }) => <Moment ms={Date.parse(created_at)} /> },
      ]}
    />
  );
}

function Name({ of: { account_id: id, name, house } }: { readonly of: Schemas['SoldTo'] }) {
  return (
    <>
      <a href={placeLink('accounts', id)}>{name}</a>
      {house && (
        <span class="badge" title="The gateway's own account, for probes">
          probes
        </span>
      )}
      <span class="id">{id}</span>
    </>
  );
}

function NewAccount() {
  const [name, setName] = useState('');
  const create = async () => {
    const { account_id: id } = await granted(settings.POST(PATH, { body: { name } }));
    location.hash = placeLink('accounts', id);
  };
  return (
    <RowForm label="Open an account" look="primary" act={create}>
      <label>
        Name of a new account{' '}
        <input required maxLength={255} value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
    </RowForm>
  );
}
