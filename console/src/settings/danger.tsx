/** What ends things: the keys suspended, everything exported, the account closed. */
import { useState } from 'preact/hooks';
import { useAct } from '../parts/act.tsx';
import { Heading } from '../parts/heading.tsx';
import { RowForm } from './row-form.tsx';
import { granted, loadSession, type Schemas, settings } from './session.ts';

type Account = NonNullable<Schemas['SessionAccount']>;

/** The screen at `#/danger`, for owners. */
export function DangerView({ account }: { readonly account: Account }) {
  return (
    <>
      <Heading title="Danger" />
      <Suspension account={account} />
      <section>
        <h2>Export</h2>
        <p>
          Everything that is stored of the account, as JSON Lines: members, keys by their hints, files, batches,
          payments, changes, the ledger and all orders.
        </p>
        <p>
          <a class="button" href="/settings/api/export" download>
            Export everything
          </a>
        </p>
      </section>
      <Close account={account} />
    </>
  );
}

function Suspension({ account: { status } }: { readonly account: Account }) {
  const isPaused = status === 'paused';
  const change = useAct(async () => {
    await granted(settings.POST(`/settings/api/account/${isPaused ? 'resume' : 'suspend'}`));
    await loadSession();
  });
  return (
    <section>
      <h2>Suspend the keys</h2>
      <p>
        {isPaused
          ? 'Every key is refused now. Orders that waited were canceled.'
          : 'Every key is refused until you resume them; orders that wait are canceled, those that run end as usual.'}
      </p>
      <p>
        <button type="button" class={isPaused ? 'button' : 'button danger'} onClick={() => void change.run()}>
          {isPaused ? 'Resume the keys' : 'Suspend the keys'}
        </button>
        {change.failure && (
          <span class="fall" role="alert">
            {' '}
            {change.failure}
          </span>
        )}
      </p>
    </section>
  );
}

/** The name must be typed, since nothing but the operator brings it back. */
function Close({ account: { name } }: { readonly account: Account }) {
  const [typed, setTyped] = useState('');
  const close = async () => {
    await granted(settings.POST('/settings/api/account/close', { body: { name: typed } }));
    await loadSession();
  };
  return (
    <section>
      <h2>Close the account</h2>
      <p>
        Every key is revoked and every member removed, you included. The operator keeps the books: ask the operator to
        pay back what is left of the balance. What is stored is deleted when its retention ends; delete it under{' '}
        <a href="#/storage">Storage</a> first if it should be gone at once.
      </p>
      <RowForm label="Close the account" act={close} look="danger" disabled={typed !== name}>
        <label>
          Type {name} to close it{' '}
          <input
            required
            autocomplete="off"
            maxLength={255}
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
      </RowForm>
    </section>
  );
}
