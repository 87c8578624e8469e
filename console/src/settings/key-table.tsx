/** The table of keys. */
import { moment, moneyText } from '../format.ts';
import { Moment, MomentOr, Money } from '../parts/figures.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { type KeyTask, Revoke } from './change-key.tsx';
import type { Schemas } from './session.ts';

type Key = Schemas['ListedKey'];

interface KeyTableProps {
  readonly data: readonly Key[];
  readonly mayChange: boolean;
  readonly onTask: (task: KeyTask) => void;
  readonly onRevoked: (key: Key) => void;
}

/** The keys, oldest first. */
export function KeyTable({ data, mayChange, onTask, onRevoked }: KeyTableProps) {
  if (data.length === 0) return <Empty>There is no key yet. Programs need one to call a model.</Empty>;
  return (
    <DataTable
      label="Keys"
      rows={data}
      keyOf={({ key_id }) => key_id}
      columns={[
        { head: 'Name', cell: (key) => <Name of={key} /> },
        { head: 'Created', room: 'much', cell: ({ created_at }) => <MomentOr at={created_at} /> },
        { head: 'Last used', room: 'some', cell: ({ last_used_at }) => <MomentOr at={last_used_at} none="never" /> },
        {
          ...{ head: 'Today', number: true, title: 'What was charged today, UTC' },
          cell: ({ spent_today_usd }) => <Money value={spent_today_usd} />,
        },
        {
          ...{ head: 'This month', number: true, room: 'some', title: 'What was charged this month, UTC' },
          cell: ({ spent_this_month_usd }) => <Money value={spent_this_month_usd} />,
        },
        { head: 'Budget', cell: ({ budget }) => <Budget of={budget} /> },
        { head: 'Expires', room: 'much', cell: (key) => <Expiry of={key} /> },
        { head: 'Models', room: 'much', cell: ({ models }) => models?.join(', ') ?? 'all' },
        { head: 'Scopes', room: 'much', cell: (key) => <Scopes of={key} /> },
        mayChange && {
          ...{ head: 'What can be done', unheaded: true, number: true },
          cell: (key) => <Actions of={key} {...{ onTask, onRevoked }} />,
        },
      ]}
    />
  );
}

function Name({ of: { name, hint } }: { readonly of: Key }) {
  return (
    <>
      {name} <code class="id">{hint}</code>
    </>
  );
}

function Scopes({ of: { scopes, addresses, member } }: { readonly of: Key }) {
  return (
    <>
      {scopes.join(', ')}
      {addresses !== null && <span class="id">from {addresses.join(', ')}</span>}
      {member !== null && <span class="id">ends with {member}</span>}
    </>
  );
}

type ActionsProps = Pick<KeyTableProps, 'onTask' | 'onRevoked'> & { readonly of: Key };

function Actions({ of: key, onTask, onRevoked }: ActionsProps) {
  return (
    <span class="actions">
      {(['change', 'rotate'] as const).map((kind) => (
        <button
          key={kind}
          type="button"
          class="plain"
          aria-label={`${TASKS[kind]} ${key.name}`}
          onClick={() => onTask({ kind, key })}
        >
          {TASKS[kind]}
        </button>
      ))}
      <Revoke of={key} onDone={() => onRevoked(key)} />
    </span>
  );
}

const TASKS = { change: 'Change', rotate: 'Rotate' } as const;

/** What is spent of it, and how much is left; running orders hold some of that. */
function Budget({ of }: { readonly of: Key['budget'] }) {
  if (of === null) return <span class="faint">none</span>;
  const { amount_usd: amount, spent_usd: spent, held_usd: held, left_usd: left, reset, renews_at } = of;
  const renews = renews_at === null ? '' : ` Starts again ${moment(Date.parse(renews_at))}.`;
  return (
    <span
      title={`${moneyText(spent)} spent, ${moneyText(held)} held by orders that run, ${moneyText(left)} left.${renews}`}
    >
      <Money value={spent} /> of <Money value={amount} />
      {reset !== 'never' && ` a ${reset}`}
      {left === 0 ? (
        <span class="id fall">{held > 0 ? 'all of it held or spent' : 'reached: calls get 402'}</span>
      ) : (
        <span class="id">{moneyText(left)} left</span>
      )}
      <progress max={amount} value={Math.min(amount, spent + held)} aria-label="Spent and held of the budget" />
    </span>
  );
}

function Expiry({ of: { expires_at, expired, previous_until } }: { readonly of: Key }) {
  return (
    <>
      {expired ? <span class="fall">expired</span> : <MomentOr at={expires_at} none="never" />}
      {previous_until !== null && (
        <span class="id">
          former secret until <Moment ms={Date.parse(previous_until)} />
        </span>
      )}
    </>
  );
}
