/** The passkeys of the member who is signed in: add one on this device, give it another name, remove it. */
import { useEffect, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Moment, Nothing } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Confirmed } from './confirmed.tsx';
import { makePasskey, noPasskeysHere } from './credentials.ts';
import { RowForm } from './row-form.tsx';
import { granted, loadSession, type Schemas, sentenceOf, settings } from './session.ts';

const EVERY_MS = 60_000;
const passkeys = polled(() => granted(settings.GET('/settings/api/passkeys')), EVERY_MS);

/** Asks once more when an earlier call is answered, which may not know of the change yet. */
const again = () => passkeys.refresh().then(() => passkeys.refresh());

/** The part of the screen at `#/security`. */
export function PasskeysPart() {
  useEffect(() => passkeys.start(), []);
  const [said, say] = useState('');
  const { value, failure } = passkeys.asked.value;
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
      {failure && <Failure sentence={failure} retry={() => void passkeys.refresh()} />}
      <p class="small" role="status">
        {said}
      </p>
      {value === null ? !failure && <Loading lines={2} /> : <PasskeyTable data={value.data} done={done} />}
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
    <RowForm label="Add passkey" act={add}>
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
    <ScrolledTable label="Passkeys">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" class="wide">
            Works at
          </th>
          <th scope="col" class="wide">
            Added
          </th>
          <th scope="col">Last used</th>
          <th scope="col">
            <span class="hidden">Change</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {data.map((passkey) => (
          <tr key={passkey.passkey_id}>
            <th scope="row">{passkey.name}</th>
            <td class="wide">{passkey.host}</td>
            <td class="wide">
              <Moment ms={Date.parse(passkey.created_at)} />
            </td>
            <td>{passkey.last_used_at === null ? <Nothing /> : <Moment ms={Date.parse(passkey.last_used_at)} />}</td>
            <td class="number">
              <Rename of={passkey} done={done} />{' '}
              <Confirmed
                text="Remove"
                label={`Remove ${passkey.name}`}
                warning="Nobody signs in with it any more."
                yes="Remove it"
                no="Keep it"
                act={() => remove(passkey)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}

function Rename({ of, done }: { readonly of: Schemas['Passkey']; readonly done: PasskeyTableProps['done'] }) {
  const [name, setName] = useState<string | null>(null);
  const [failure, setFailure] = useState('');
  const rename = async () => {
    const params = { path: { id: of.passkey_id } };
    try {
      await granted(settings.PATCH('/settings/api/passkeys/{id}', { params, body: { name: name ?? '' } }));
      setName(null);
      await done(`${of.name} is now ${name}.`);
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };
  if (name === null)
    return (
      <button type="button" class="plain" aria-label={`Rename ${of.name}`} onClick={() => setName(of.name)}>
        Rename
      </button>
    );
  return (
    <form
      class="confirm"
      onSubmit={(event) => {
        event.preventDefault();
        void rename();
      }}
    >
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
      <button type="button" class="button" onClick={() => setName(null)}>
        Cancel
      </button>
      {failure && <span role="alert"> {failure}</span>}
    </form>
  );
}
