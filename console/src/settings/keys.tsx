/** The keys of the account: what there is, a new one, and the end of one. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Moment, Nothing } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { KeyForm, NewSecret } from './new-key.tsx';
import { granted, type Schemas, sentenceOf, settings } from './session.ts';

const EVERY_MS = 15_000;
const keys = polled(() => granted(settings.GET('/settings/api/keys')), EVERY_MS);

/** Asks once more when an earlier call is answered, which may not know of the change yet. */
const again = () => keys.refresh().then(() => keys.refresh());

/** Who looks, and at what. */
interface KeysProps {
  readonly account: NonNullable<Schemas['SessionAccount']>;
  readonly role: string;
}

/** The screen at `#/keys`. */
export function KeysView({ account, role }: KeysProps) {
  useEffect(() => keys.start(), []);
  const [made, setMade] = useState<Schemas['CreatedKey'] | null>(null);
  const [said, say] = useState('');
  const { value, failure } = keys.asked.value;
  const mayChange = role === 'owner' || role === 'developer';
  const created = (key: Schemas['CreatedKey']) => {
    setMade(key);
    say('');
    void again();
  };
  const revoked = (name: string) => {
    if (made?.name === name) setMade(null);
    say(`${name} is revoked.`);
    void again();
  };
  return (
    <>
      <div class="head">
        <h1>Keys</h1>
        {value && (
          <span class="faint">
            {value.data.length} of {value.active_max}
          </span>
        )}
      </div>
      {failure && <Failure sentence={failure} retry={() => void keys.refresh()} />}
      {made && <NewSecret made={made} onDone={() => setMade(null)} />}
      {mayChange && account.status === 'active' && <KeyForm onCreated={created} />}
      {account.status !== 'active' && <p class="note">The account is {account.status}: it gets no new keys.</p>}
      <p class="small" role="status">
        {said}
      </p>
      {value === null ? !failure && <Loading /> : <KeyTable data={value.data} {...{ mayChange, revoked }} />}
    </>
  );
}

interface KeyTableProps {
  readonly data: readonly Schemas['ListedKey'][];
  readonly mayChange: boolean;
  readonly revoked: (name: string) => void;
}

function KeyTable({ data, mayChange, revoked }: KeyTableProps) {
  if (data.length === 0) return <Empty>There is no key yet. Programs need one to call a model.</Empty>;
  return (
    <ScrolledTable label="Keys">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Key</th>
          <th scope="col" class="wide">
            Created
          </th>
          <th scope="col">Last used</th>
          {mayChange && (
            <th scope="col">
              <span class="hidden">Revoke</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {data.map((key) => (
          <tr key={key.key_id}>
            <th scope="row">{key.name}</th>
            <td>
              <code>{key.hint}</code>
            </td>
            <td class="wide">
              <Moment ms={Date.parse(key.created_at)} />
            </td>
            <td>{key.last_used_at === null ? <Nothing /> : <Moment ms={Date.parse(key.last_used_at)} />}</td>
            {mayChange && (
              <td class="number">
                <Revoke of={key} onDone={() => revoked(key.name)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}

/** Asks before it does it, since nothing brings a key back. */
function Revoke({
  of: { key_id: id, name },
  onDone,
}: {
  readonly of: Schemas['ListedKey'];
  readonly onDone: () => void;
}) {
  const [asking, ask] = useState(false);
  const [failure, setFailure] = useState('');
  const keep = useRef<HTMLButtonElement>(null);
  // At once: a key pressed right after the click must meet the safe answer.
  useLayoutEffect(() => keep.current?.focus(), [asking]);
  const revoke = async () => {
    try {
      await granted(settings.DELETE('/settings/api/keys/{id}', { params: { path: { id } } }));
      onDone();
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };
  if (!asking)
    return (
      <button type="button" class="plain" aria-label={`Revoke ${name}`} onClick={() => ask(true)}>
        Revoke
      </button>
    );
  return (
    <span class="confirm">
      {failure === '' ? 'Whoever uses it is refused from now on. ' : <span role="alert">{failure} </span>}
      <button type="button" class="button danger" onClick={() => void revoke()}>
        Revoke it
      </button>{' '}
      <button type="button" class="button" ref={keep} onClick={() => ask(false)}>
        Keep it
      </button>
    </span>
  );
}
