/** One account: what it has, its money moved, its keys and members, and its entries. */
import { useMemo } from 'preact/hooks';
import { placeLink } from '../address.ts';
import { useSource } from '../data/polled.ts';
import { Moment, Money } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { Source } from '../parts/source.tsx';
import { DataTable } from '../parts/table.tsx';
import { Confirmed } from '../settings/confirmed.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { KeysOfAccount } from './account-keys.tsx';
import { MembersOfAccount } from './account-members.tsx';
import { DAYS_SHOWN, DayChart } from './day-chart.tsx';
import { KINDS } from './money.tsx';
import { Paged } from './paged.tsx';
import { TransferForm } from './transfer-form.tsx';

const EVERY_MS = 5_000;
const LIMIT = 20;

type Account = Schemas['SoldTo'];

/** The page at `#/accounts/ID`. */
export function OneAccount({ id, role }: { readonly id: string; readonly role: string }) {
  const params = { path: { id } };
  const source = useSource(id, () => granted(settings.GET('/console/api/accounts/{id}', { params })), EVERY_MS);
  const { value } = source.asked.value;
  return (
    <>
      <p class="small">
        <a href={placeLink('accounts')}>All accounts</a>
      </p>
      <Heading title={value?.name ?? 'Account'}>
        {value && role === 'operator' && <Status of={value} changed={source.again} />}
      </Heading>
      <p class="path">{id}</p>
      <Shown source={source}>{(account) => <Facts of={account} />}</Shown>
      {value && role !== 'viewer' && !value.house && (
        <div class="grid thirds">
          <TransferForm account={value} kind="credit" onMoved={source.again} />
          <TransferForm account={value} kind="refund" onMoved={source.again} />
          <TransferForm account={value} kind="debit" onMoved={source.again} />
        </div>
      )}
      <Source path={`/console/api/accounts/${encodeURIComponent(id)}`} />
      {value && (
        <>
          <Days id={id} />
          <KeysOfAccount id={id} mayChange={role === 'operator'} />
          <MembersOfAccount id={id} mayChange={role === 'operator'} />
          <section>
            <div class="head">
              <h2>Entries</h2>
              <span class="choices">
                <a href={placeLink('orders', `account:${id}`)}>Its orders</a>
                <a href={placeLink('log', id)}>What was changed</a>
              </span>
            </div>
            <Entries id={id} />
          </section>
        </>
      )}
    </>
  );
}

const DAYS_EVERY_MS = 60_000;

/** What it was charged by day; nothing where that is nothing. */
function Days({ id }: { readonly id: string }) {
  const params = { path: { id } };
  const load = () => granted(settings.GET('/console/api/accounts/{id}/days', { params }));
  const { value } = useSource(`days ${id}`, load, DAYS_EVERY_MS).asked.value;
  const days = useMemo(() => value?.data.map(({ day, charged_usd }) => ({ day, usd: charged_usd })) ?? [], [value]);
  if (days.length === 0) return null;
  return (
    <section aria-label="Charged">
      <h2>Charged in {DAYS_SHOWN} days, net of refunds</h2>
      <DayChart label="Charged" days={days} />
    </section>
  );
}

function Facts({ of }: { readonly of: Account }) {
  return (
    <dl class="now">
      <div>
        <dt>Status</dt>
        <dd class={`big ${of.status === 'active' ? '' : 'fall'}`}>{of.status}</dd>
      </div>
      <div>
        <dt>Balance</dt>
        <dd class="big">
          <Money value={of.balance_usd} />
        </dd>
      </div>
      <div title="Set aside for orders that run">
        <dt>Held</dt>
        <dd>
          <Money value={of.held_usd} />
        </dd>
      </div>
      <div>
        <dt>Results kept</dt>
        <dd>{of.retention_days} days</dd>
      </div>
      <div>
        <dt>Requests kept</dt>
        <dd>{of.log_payloads ? 'yes' : 'no'}</dd>
      </div>
      <div>
        <dt>Opened</dt>
        <dd>
          <Moment ms={Date.parse(of.created_at)} />
        </dd>
      </div>
    </dl>
  );
}

function Status({ of, changed }: { readonly of: Account; readonly changed: () => Promise<void> }) {
  const params = { path: { id: of.account_id } };
  if (of.house) return null;
  return of.status === 'active' ? (
    <Confirmed
      text="Suspend"
      warning="Its keys are refused from now on and its waiting orders canceled; orders that run go on."
      yes="Suspend it"
      no="Leave it"
      act={() => granted(settings.POST('/console/api/accounts/{id}/suspend', { params })).then(changed)}
      heavy
    />
  ) : of.status === 'suspended' ? (
    <Confirmed
      text="Resume"
      warning="Its keys work again."
      yes="Resume it"
      no="Leave it"
      act={() => granted(settings.POST('/console/api/accounts/{id}/resume', { params })).then(changed)}
      heavy
      harmless
    />
  ) : null;
}

function Entries({ id }: { readonly id: string }) {
  const load = (cursor: string | undefined) => {
    const query = { limit: LIMIT, ...(cursor === undefined ? {} : { cursor }) };
    return granted(settings.GET('/console/api/accounts/{id}/entries', { params: { path: { id }, query } }));
  };
  return (
    <Paged
      name="entries"
      path={`/console/api/accounts/${encodeURIComponent(id)}/entries?limit=${LIMIT}`}
      load={load}
      empty="No money of it was moved yet. Each top-up, charge and refund comes here."
      columns={['entry_id', 'created_at', 'kind', 'model', 'order_id', 'reason', 'amount_usd']}
      cells={(row) => [
        ...[row.entry_id, row.created_at, row.kind, row.model, row.order_id, row.reason],
        row.amount_usd,
      ]}
    >
      {(rows) => (
        <DataTable
          label="Entries"
          rows={rows}
          keyOf={({ entry_id }) => entry_id}
          columns={[
            { head: 'When', cell: ({ created_at }) => <Moment ms={Date.parse(created_at)} /> },
            { head: 'Entry', cell: ({ kind }) => KINDS[kind] ?? kind },
            {
              head: 'For',
              cell: ({ order_id, model, reason }) => (
                <>
                  {order_id !== null && <a href={placeLink('orders', order_id)}>{model ?? 'an order'}</a>}
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
