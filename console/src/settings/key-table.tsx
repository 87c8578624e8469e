/** The table of keys. */
import { money } from '../format.ts';
import { Moment, Money, Nothing } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Empty } from '../parts/states.tsx';
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
    <ScrolledTable label="Keys">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" class="wide">
            Created
          </th>
          <th scope="col" class="wide">
            Last used
          </th>
          <th scope="col" class="number" title="What was charged today, UTC">
            Today
          </th>
          <th scope="col" class="number wide" title="What was charged this month, UTC">
            This month
          </th>
          <th scope="col">Budget</th>
          <th scope="col" class="wide">
            Expires
          </th>
          <th scope="col" class="wide">
            Models
          </th>
          <th scope="col" class="wide">
            Scopes
          </th>
          {mayChange && (
            <th scope="col">
              <span class="hidden">What can be done</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {data.map((key) => (
          <KeyRow key={key.key_id} of={key} {...{ mayChange, onTask, onRevoked }} />
        ))}
      </tbody>
    </ScrolledTable>
  );
}

function KeyRow({ of: key, mayChange, onTask, onRevoked }: Omit<KeyTableProps, 'data'> & { readonly of: Key }) {
  return (
    <tr>
      <th scope="row">
        {key.name} <code class="id">{key.hint}</code>
      </th>
      <td class="wide">
        <Moment ms={Date.parse(key.created_at)} />
      </td>
      <td class="wide">
        <MomentOr at={key.last_used_at} />
      </td>
      <td class="number">
        <Money value={key.spent_today_usd} />
      </td>
      <td class="number wide">
        <Money value={key.spent_this_month_usd} />
      </td>
      <td>
        <Budget of={key.budget} />
      </td>
      <td class="wide">
        <Expiry of={key} />
      </td>
      <td class="wide">{key.models?.join(', ') ?? 'all'}</td>
      <td class="wide">
        {key.scopes.join(', ')}
        {key.addresses !== null && <span class="id">from {key.addresses.join(', ')}</span>}
        {key.member !== null && <span class="id">ends with {key.member}</span>}
      </td>
      {mayChange && (
        <td class="number">
          <button
            type="button"
            class="plain"
            aria-label={`Change ${key.name}`}
            onClick={() => onTask({ kind: 'change', key })}
          >
            Change
          </button>{' '}
          <button
            type="button"
            class="plain"
            aria-label={`Rotate ${key.name}`}
            onClick={() => onTask({ kind: 'rotate', key })}
          >
            Rotate
          </button>{' '}
          <Revoke of={key} onDone={() => onRevoked(key)} />
        </td>
      )}
    </tr>
  );
}

/** What is spent of it, and how much is left; running orders hold some of that. */
function Budget({ of }: { readonly of: Key['budget'] }) {
  if (of === null) return <span class="faint">none</span>;
  const { amount_usd: amount, spent_usd: spent, held_usd: held, left_usd: left, reset, renews_at } = of;
  const renews = renews_at === null ? '' : ` Starts again ${new Date(renews_at).toLocaleString()}.`;
  return (
    <span title={`${money(spent)} spent, ${money(held)} held by orders that run, ${money(left)} left.${renews}`}>
      <Money value={spent} /> of <Money value={amount} />
      {reset !== 'never' && ` a ${reset}`}
      {left === 0 ? (
        <span class="id fall">{held > 0 ? 'all of it held or spent' : 'reached: calls get 402'}</span>
      ) : (
        <span class="id">{money(left)} left</span>
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

function MomentOr({ at, none }: { readonly at: string | null; readonly none?: string }) {
  if (at !== null) return <Moment ms={Date.parse(at)} />;
  return none === undefined ? <Nothing /> : <span class="faint">{none}</span>;
}
