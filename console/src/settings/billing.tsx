/** The money of the account: what it has, what it paid, and a way to pay more where the gateway takes payments. */
import { useState } from 'preact/hooks';
import { nowMs } from '../clock.ts';
import { useSource } from '../data/polled.ts';
import { Choice } from '../parts/choice.tsx';
import { Moment, MomentOr, Money, Nothing } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { save } from '../parts/source.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { AlertForm } from './alerts.tsx';
import { AutomaticTopUp } from './automatic-top-up.tsx';
import { daysText } from './home.tsx';
import { Ledger } from './ledger.tsx';
import { stateOf } from './payment-state.ts';
import { cameBackPaid } from './route.ts';
import { RowForm } from './row-form.tsx';
import { granted, type Schemas, settings } from './session.ts';

const BALANCE_EVERY_MS = 5_000;
const PAYMENTS_EVERY_MS = 5_000;
/** What one payment may be, in USD. */
const TOP_UP = { min: 10, max: 10_000 };

type Payment = Schemas['Payment'];

/** The screen at `#/billing`. */
export function BillingView({ role }: { readonly role: string }) {
  const balance = useSource('balance', () => granted(settings.GET('/settings/api/balance')), BALANCE_EVERY_MS);
  const paid = useSource('payments', () => granted(settings.GET('/settings/api/payments')), PAYMENTS_EVERY_MS);
  const payments = paid.asked.value.value;
  return (
    <>
      <Heading title="Billing">
        <a href="#/statement">Monthly statements</a>
      </Heading>
      {cameBackPaid && <CameBack newest={payments?.data[0]} />}
      <Shown source={balance} lines={2}>
        {(value) => <Balance of={value} />}
      </Shown>
      {payments?.enabled && role === 'owner' && <TopUp />}
      {payments?.enabled && <AutomaticTopUp role={role} />}
      {role === 'owner' && <AlertForm />}
      {payments?.enabled === false && (
        <p class="faint">This gateway takes no payments by card: its operator credits the account.</p>
      )}
      <Shown source={paid} lines={2}>
        {({ enabled, data }) => (enabled || data.length > 0) && <PaymentTable data={data} />}
      </Shown>
      <Ledger />
    </>
  );
}

function Balance({ of }: { readonly of: Schemas['Balance'] }) {
  return (
    <dl class="now">
      <div>
        <dt>Free</dt>
        <dd class="big">
          <Money exact value={of.free_usd} />
        </dd>
      </div>
      <div>
        <dt title="The worst case of the orders that run">Held for orders that run</dt>
        <dd>
          <Money exact value={of.held_usd} />
        </dd>
      </div>
      <div>
        <dt>Balance</dt>
        <dd>
          <Money exact value={of.balance_usd} />
        </dd>
      </div>
      {of.owed_usd > 0 && (
        <div>
          <dt title="What refunds and disputes of payments are still to take">Owed</dt>
          <dd class="fall">
            <Money exact value={of.owed_usd} />
          </dd>
        </div>
      )}
      <div>
        <dt title="Charged, less refunds, per day of the last seven">Spent a day</dt>
        <dd>
          <Money value={of.burn_usd_per_day} />
        </dd>
      </div>
      <div>
        <dt title="What is free, at that pace">Lasts</dt>
        <dd>{of.days_left === null ? <Nothing /> : daysText(of.days_left)}</dd>
      </div>
    </dl>
  );
}

/** To those who come from the page of the provider: what became known of their payment. */
function CameBack({ newest }: { readonly newest: Payment | undefined }) {
  if (!newest || newest.status === 'open')
    return (
      <p class="note" role="status">
        The payment is credited when its provider confirms it, which usually takes seconds.
      </p>
    );
  return (
    <p class="note" role="status">
      <Money exact value={newest.amount_usd} />: {stateOf(newest, nowMs()).sentence}
    </p>
  );
}

const AMOUNTS = ['20', '50', '100', '500'] as const;
const OTHER = 'other';

/** Leads to the page of the provider; card data never comes here. */
function TopUp() {
  const [chosen, choose] = useState<(typeof AMOUNTS)[number] | typeof OTHER>('50');
  const [other, setOther] = useState('');
  const amount = chosen === OTHER ? other : chosen;
  const [keep, setKeep] = useState(false);
  const pay = async () => {
    const body = { amount_usd: Number(amount), save_card: keep };
    const { url } = await granted(settings.POST('/settings/api/payments/checkout', { body }));
    location.assign(url);
  };
  return (
    <RowForm label="Pay by card" act={pay} look="primary">
      <Choice
        label="Top up"
        options={[...AMOUNTS.map((usd) => [usd, `$${usd}`] as const), [OTHER, 'Other']]}
        value={chosen}
        onChoose={choose}
      />
      {chosen === OTHER && (
        <label>
          Top up, USD{' '}
          <input
            type="number"
            {...TOP_UP}
            step="0.01"
            required
            value={other}
            onInput={({ currentTarget }) => setOther(currentTarget.value)}
          />
        </label>
      )}
      <label>
        <input type="checkbox" checked={keep} onChange={({ currentTarget }) => setKeep(currentTarget.checked)} /> Keep
        the card for automatic top-up
      </label>
    </RowForm>
  );
}

function PaymentTable({ data }: { readonly data: readonly Payment[] }) {
  if (data.length === 0) return <Empty>There is no payment yet. Top-ups by card appear here, with their status.</Empty>;
  return (
    <>
      <div class="head">
        <h2>Payments</h2>
        <button type="button" class="plain" onClick={() => save({ name: 'payments', rows: () => sheetOf(data) })}>
          CSV
        </button>
      </div>
      <DataTable
        label="Payments"
        rows={data}
        keyOf={({ payment_id }) => payment_id}
        columns={[
          { head: 'Begun', cell: (payment) => <Begun of={payment} /> },
          { head: 'Status', cell: (payment) => <State of={payment} /> },
          { head: 'Paid', room: 'some', cell: ({ paid_at }) => <MomentOr at={paid_at} /> },
          { head: 'Amount', number: true, cell: ({ amount_usd }) => <Money exact value={amount_usd} /> },
          {
            ...{ head: 'Taken back', number: true, room: 'some', title: 'By refunds and disputes' },
            cell: ({ reversed_usd }) => <Money exact value={reversed_usd} />,
          },
          {
            ...{ head: 'Owed', number: true, room: 'some' },
            title: 'What was taken back and the balance has not covered yet',
            cell: ({ owed_usd }) => <Money exact value={owed_usd} />,
          },
        ]}
      />
    </>
  );
}

/** Its state as a word, and what that means. */
function State({ of }: { readonly of: Payment }) {
  const { word, look, sentence } = stateOf(of, nowMs());
  return (
    <>
      <span class={`pill ${look}`}>{word}</span>
      <span class="id">{sentence}</span>
    </>
  );
}

function Begun({ of: { payment_id, created_at, automatic } }: { readonly of: Payment }) {
  return (
    <>
      <Moment ms={Date.parse(created_at)} />
      <span class="id">
        {automatic && 'automatic '}
        {payment_id}
      </span>
    </>
  );
}

function sheetOf(payments: readonly Payment[]) {
  const head = ['payment_id', 'created_at', 'status', 'paid_at', 'amount_usd', 'reversed_usd', 'owed_usd'];
  const rows = payments.map(({ payment_id, created_at, status, paid_at, amount_usd, reversed_usd, owed_usd }) => [
    ...[payment_id, created_at, status, paid_at],
    ...[amount_usd, reversed_usd, owed_usd],
  ]);
  return [head, ...rows];
}
