/** What a member sees first: the money, what was spent, what runs now, and what is still to be done. */
import { placeLink, useChoice } from '../address.ts';
import { StackedBars } from '../charts/bars.tsx';
import { momentsOf, stackOf } from '../charts/stack.ts';
import { nowMs } from '../clock.ts';
import { useSource } from '../data/polled.ts';
import { moneyText } from '../format.ts';
import { Choice } from '../parts/choice.tsx';
import { Money, Nothing, UnitPrice } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { DataTable } from '../parts/table.tsx';
import { OrderOutcome } from './order-table.tsx';
import { barQuery, barText } from './period.ts';
import { granted, type Schemas, settings } from './session.ts';

const BALANCE_EVERY_MS = 5_000;
const ORDERS_EVERY_MS = 4_000;
const SLOW_EVERY_MS = 30_000;
const DAY_MS = 86_400_000;
const DAYS = { step: 'day', stepMs: DAY_MS } as const;
const DAYS_SHOWN = 30;
const ORDERS_SHOWN = 8;
/** From this share on a budget is near its end. */
const NEAR = 0.8;

interface HomeProps {
  readonly who: Schemas['Session'];
  readonly seesMoney: boolean;
}

/** The screen at `#/home`. */
export function HomeView({ who, seesMoney }: HomeProps) {
  const keys = useSource('keys', () => granted(settings.GET('/settings/api/keys')), SLOW_EVERY_MS);
  const known = keys.asked.value.value?.data;
  return (
    <>
      <Heading title="Home">
        <span class="choices">
          {seesMoney && <a href={placeLink('billing')}>Billing</a>}
          <a class="button primary" href="/#/playground">
            Try a model
          </a>
        </span>
      </Heading>
      {seesMoney && <Balance />}
      {known && <Checklist who={who} keys={known} />}
      <Spent />
      <div class="grid later">
        <LiveOrders />
        <section class="panel" aria-label="Budgets near their end">
          <h2>Budgets near their end</h2>
          <Shown source={keys} lines={2}>
            {({ data }) => <Budgets of={data} />}
          </Shown>
        </section>
      </div>
    </>
  );
}

function Balance() {
  const source = useSource('balance', () => granted(settings.GET('/settings/api/balance')), BALANCE_EVERY_MS);
  return (
    <Shown source={source} lines={2}>
      {({ free_usd, held_usd, burn_usd_per_day, days_left }) => (
        <dl class="now">
          <div>
            <dt>Free balance</dt>
            <dd class="big">
              <Money exact value={free_usd} />
            </dd>
          </div>
          <div title="What is free, at the pace of the last seven days">
            <dt>Lasts</dt>
            <dd class={`big ${days_left !== null && days_left < 3 ? 'fall' : ''}`}>
              {days_left === null ? <Nothing /> : daysText(days_left)}
            </dd>
          </div>
          <div>
            <dt>Spent a day, of the last 7</dt>
            <dd>
              <Money value={burn_usd_per_day} />
            </dd>
          </div>
          <div>
            <dt>Held for orders that run</dt>
            <dd>
              <Money exact value={held_usd} />
            </dd>
          </div>
        </dl>
      )}
    </Shown>
  );
}

/** `4.2 days`, without a fraction from ten on. */
export function daysText(days: number): string {
  return days >= 1000 ? 'years' : `${days < 10 ? days : Math.floor(days)} ${days === 1 ? 'day' : 'days'}`;
}

interface ChecklistProps {
  readonly who: Schemas['Session'];
  readonly keys: readonly Schemas['ListedKey'][];
}

/** What a new account does first; nothing when all of it is done. */
function Checklist({ who, keys }: ChecklistProps) {
  // Also one that came with the account; but the key of the playground is for no program.
  const key = keys.find(({ name, expired }) => !expired && name !== `Playground (${who.email})`);
  const steps = [
    { done: who.has_password || who.has_passkey, text: 'Add a passkey', href: placeLink('security') },
    { done: key !== undefined, text: 'Make a key', after: `You have a key: ${key?.name}`, href: placeLink('keys') },
    { done: keys.some((key) => key.last_used_at !== null), text: 'Send the first request', href: '/#/start' },
    { done: keys.some(({ budget }) => budget !== null), text: 'Give a key a budget', href: placeLink('keys') },
  ];
  if (steps.every(({ done }) => done)) return null;
  return (
    <section class="panel" aria-label="First steps">
      <h2>First steps</h2>
      <ul class="checklist">
        {steps.map(({ done, text, after = `${text}: done`, href }) => (
          <li key={text} class={done ? 'faint' : ''}>
            <span class={done ? 'rise' : 'faint'} aria-hidden="true">
              {done ? '✓' : '○'}
            </span>{' '}
            {done ? after : <a href={href}>{text}</a>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What was charged on each day, as the ledger has it. */
function Spent() {
  const [by, choose] = useChoice<'key' | 'model'>('by', ['key', 'model']);
  const load = () => {
    const from = new Date(nowMs() - (DAYS_SHOWN - 1) * DAY_MS).toISOString().slice(0, 10);
    return granted(settings.GET('/settings/api/usage', { params: { query: { from } } }));
  };
  const source = useSource('usage', load, SLOW_EVERY_MS);
  return (
    <section class="panel later" aria-label="Spent in 30 days">
      <div class="head">
        <h2>Spent in 30 days</h2>
        <span class="choices">
          <a href={placeLink('bill', '', { period: '30 days' })}>Explain the bill</a>
          <Choice
            label="By"
            options={[
              ['key', 'By key'],
              ['model', 'By model'],
            ]}
            value={by}
            onChoose={choose}
          />
        </span>
      </div>
      <Shown source={source} lines={4}>
        {({ from, to, data }) =>
          data.every(({ charged_usd }) => charged_usd === 0) ? (
            <p class="faint">Nothing was charged in these days. What each day costs will be shown here.</p>
          ) : (
            <StackedBars
              label={`Charged on each day, by ${by}`}
              stack={stackOf(
                data.map(({ day, model, key_name, key_id, charged_usd: value }) => ({
                  ...{ atMs: Date.parse(day), value },
                  name: by === 'model' ? model : (key_name ?? key_id ?? 'no key'),
                })),
                momentsOf(Date.parse(from), Date.parse(to), DAY_MS),
              )}
              format={moneyText}
              timeText={(atMs) => barText(DAYS, atMs)}
              linkOf={(atMs) => placeLink('activity', '', dayQuery(atMs))}
            />
          )
        }
      </Shown>
    </section>
  );
}

function dayQuery(atMs: number): { from: string; to: string } {
  const { from, to } = barQuery(DAYS, atMs);
  return { from, to };
}

function LiveOrders() {
  const query = { status: 'queued,executing', limit: ORDERS_SHOWN };
  const load = () => granted(settings.GET('/settings/api/orders', { params: { query } }));
  const source = useSource('live', load, ORDERS_EVERY_MS);
  return (
    <section class="panel" aria-label="Orders that wait or run">
      <div class="head">
        <h2>Orders that wait or run</h2>
        <a href={placeLink('activity', '', { status: 'working' })}>All of them</a>
      </div>
      <Shown source={source} lines={3}>
        {({ list: { data } }) =>
          data.length === 0 ? (
            <p class="faint">None now.</p>
          ) : (
            <DataTable
              label="Live orders"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Model', cell: ({ id, model }) => <a href={placeLink('order', id)}>{model}</a> },
                { head: 'Status', cell: (order) => <OrderOutcome order={order} /> },
                { head: 'Bid or fixed price', number: true, cell: ({ bid }) => <UnitPrice value={bid} /> },
              ]}
            />
          )
        }
      </Shown>
    </section>
  );
}

function Budgets({ of }: { readonly of: readonly Schemas['ListedKey'][] }) {
  const near = of
    .flatMap(({ key_id, name, budget }) => {
      if (!budget) return [];
      const used = (budget.spent_usd + budget.held_usd) / budget.amount_usd;
      return used < NEAR ? [] : [{ key_id, name, budget, used: Math.min(1, used) }];
    })
    .sort((one, other) => other.used - one.used);
  if (near.length === 0) return <p class="faint">No budget is {NEAR * 100}% used.</p>;
  return (
    <ul class="budgets">
      {near.map(({ key_id, name, budget, used }) => (
        <li key={key_id}>
          <a href={placeLink('keys')}>{name}</a> has spent <Money value={budget.spent_usd} /> of{' '}
          <Money value={budget.amount_usd} />
          {budget.reset !== 'never' && ` a ${budget.reset}`}
          <progress class="budget" max={1} value={used} aria-label={`Used of the budget of ${name}`} />
        </li>
      ))}
    </ul>
  );
}
