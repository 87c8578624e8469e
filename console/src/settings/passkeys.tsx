/** The passkeys of the member who is signed in: add one on this device, give it another name, remove it. */
import { useEffect, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Form, Unfold, useAct } from '../parts/act.tsx';
import { MomentOr } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { say } from '../parts/toast.tsx';
import { Confirmed } from './confirmed.tsx';
import { makePasskey, noPasskeysHere } from './credentials.ts';
import { RowForm } from './row-form.tsx';
import { granted, loadSession, type Schemas, settings } from './session.ts';

const EVERY_MS = 60_000;
const passkeys = polled(() => granted(settings.GET('/settings/api/passkeys')), EVERY_MS);

const again = () => passkeys.again();

/** The part of the screen at `#/security`. */
export function PasskeysPart() {
  useEffect(() => passkeys.start(), []);
  const done = async (what: string) => {
    say(what);
    await Promise.all([again(), loadSession()]);
  };
  const none = noPasskeysHere();
  return (
    <section class="panel" aria-label="Ways in by passkey">
      <h2>Passkeys</h2>
      <p class="faint small">
        Sign in with the lock of a device, or with a security key. Nothing can be forgotten, and nothing that could be
        stolen is kept here.
      </p>
      {none === null ? <AddForm onAdded={(name) => void done(`${name} is added.`)} /> : <p class="note">{none}</p>}
      <Shown source={passkeys} lines={2}>
        {({ data }) => <PasskeyTable data={data} done={done} />}
      </Shown>
    </section>
  );
}

function AddForm({ onAdded }: { readonly onAdded: (name: string) => void }) {
  const [name, setName] = useState('');
  const add = async () => {
    const asked = await granted(settings.POST('/settings/api/passkeys/question'));
    const credential = (await makePasskey(asked.public_key)) as Schemas['CreatedCredential'];
    await granted(settings.POST('/settings/api/passkeys', { body: { name, credential } }));
    onAdded(name);
    setName('');
  };
  return (
    <RowForm label="Add passkey" look="primary" act={add}>
      <label>
        New passkey{' '}
        <input
          required
          maxLength={100}
          placeholder="this laptop"
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
    </RowForm>
  );
}

interface PasskeyTableProps {
  readonly data: readonly Schemas['Passkey'][];
  readonly done: (what: string) => Promise<void>;
}

function PasskeyTable({ data, done }: PasskeyTableProps) {
  if (data.length === 0)
    return <Empty>You have no passkey yet. One signs you in with the lock of a device, without a password.</Empty>;
  const remove = async ({ passkey_id: id, name }: Schemas['Passkey']) => {
    await granted(settings.DELETE('/settings/api/passkeys/{id}', { params: { path: { id } } }));
    await done(`${name} is removed.`);
  };
  return (
    <DataTable
      label="Passkeys"
      rows={data}
      keyOf={({ passkey_id }) => passkey_id}
      columns={[
        { head: 'Name', cell: ({ name }) => name },
        { head: 'Works at', room: 'some', cell: ({ host }) => host },
        { head: 'Added', room: 'some', cell: ({ created_at }) => <MomentOr at={created_at} /> },
        { head: 'Last used', cell: ({ last_used_at }) => <MomentOr at={last_used_at} /> },
        {
          ...{ head: 'Change', unheaded: true, number: true },
          cell: (passkey) => (
            <span class="actions">
              <Unfold text="Rename" label={`Rename ${passkey.name}`}>
                {(close) => <Rename of={passkey} done={done} close={close} />}
              </Unfold>
              <Confirmed
                text="Remove"
                label={`Remove ${passkey.name}`}
                warning="Nobody signs in with it any more."
                yes="Remove it"
                no="Keep it"
                act={() => remove(passkey)}
              />
            </span>
          ),
        },
      ]}
    />
  );
}

interface RenameProps {
  readonly of: Schemas['Passkey'];
  readonly done: PasskeyTableProps['done'];
  readonly close: () => void;
}

function Rename({ of, done, close }: RenameProps) {
  const [name, setName] = useState(of.name);
  const rename = useAct(async () => {
    const params = { path: { id: of.passkey_id } };
    await granted(settings.PATCH('/settings/api/passkeys/{id}', { params, body: { name } }));
    close();
    await done(`${of.name} is now ${name}.`);
  });
  return (
    <Form act={rename} class="confirm">
      <input
        aria-label={`New name of ${of.name}`}
        required
        maxLength={100}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />{' '}
      <button type="submit" class="button">
        Save
      </button>{' '}
      <button type="button" class="button" onClick={close}>
        Cancel
      </button>
    </Form>
  );
}
