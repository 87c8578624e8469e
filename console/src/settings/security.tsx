/** How a member signs in, and where it is signed in now: passkeys, the password, open sessions. */
import { useEffect, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Moment } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { Confirmed } from './confirmed.tsx';
import { PasskeysPart } from './passkeys.tsx';
import { granted, loadSession, type Schemas, sentenceOf, settings } from './session.ts';

const EVERY_MS = 30_000;
const sessions = polled(() => granted(settings.GET('/settings/api/sessions')), EVERY_MS);

/** Asks once more when an earlier call is answered, which may not know of the change yet. */
const again = () => sessions.refresh().then(() => sessions.refresh());

/** The screen at `#/security`. */
export function SecurityView({ who }: { readonly who: Schemas['Session'] }) {
  return (
    <>
      <h1>Security</h1>
      <PasskeysPart />
      <Password who={who} />
      <Sessions />
    </>
  );
}

function Password({ who: { email, has_password: had } }: { readonly who: Schemas['Session'] }) {
  const [password, setPassword] = useState('');
  const [current, setCurrent] = useState('');
  const [said, say] = useState('');
  const [failure, setFailure] = useState('');
  const set = async () => {
    setFailure('');
    try {
      const body = { password, ...(current === '' ? {} : { current_password: current }) };
      await granted(settings.PUT('/settings/api/password', { body }));
      setPassword('');
      setCurrent('');
      say('The password is set. All your other sessions are over.');
      await Promise.all([again(), loadSession()]);
    } catch (error) {
      say('');
      setFailure(sentenceOf(error));
    }
  };
  return (
    <section class="panel" aria-label="Password">
      <h2>Password</h2>
      <p class="faint small">
        {had
          ? 'Another one ends all your other sessions. Within an hour of a one-time link the current one is not needed.'
          : 'You have none. With one you can sign in where you have no passkey.'}
      </p>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          void set();
        }}
      >
        <input type="email" class="hidden" autocomplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
        {had && <PasswordField text="Current password" kind="current-password" value={current} onChange={setCurrent} />}
        <PasswordField text="New password" kind="new-password" value={password} onChange={setPassword} />
        <button type="submit" class="button">
          {had ? 'Change the password' : 'Set a password'}
        </button>
        {failure && (
          <span class="fall" role="alert">
            {failure}
          </span>
        )}
      </form>
      <p class="small" role="status">
        {said}
      </p>
    </section>
  );
}

interface PasswordFieldProps {
  readonly text: string;
  readonly kind: 'current-password' | 'new-password';
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function PasswordField({ text, kind, value, onChange }: PasswordFieldProps) {
  const isNew = kind === 'new-password';
  return (
    <label>
      {text}{' '}
      <input
        type="password"
        autocomplete={kind}
        required={isNew}
        {...(isNew ? { minLength: 12, placeholder: '12 characters or more' } : {})}
        maxLength={200}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </label>
  );
}

function Sessions() {
  useEffect(() => sessions.start(), []);
  const [said, say] = useState('');
  const { value, failure } = sessions.asked.value;
  const end = async ({ session_id: id }: Schemas['ListedSession']) => {
    await granted(settings.DELETE('/settings/api/sessions/{id}', { params: { path: { id } } }));
    say('That session is over.');
    await again();
  };
  return (
    <section class="panel" aria-label="Where you are signed in">
      <h2>Where you are signed in</h2>
      {failure && <Failure sentence={failure} retry={() => void sessions.refresh()} />}
      <p class="small" role="status">
        {said}
      </p>
      {value === null ? !failure && <Loading lines={2} /> : <SessionTable data={value.data} end={end} />}
    </section>
  );
}

interface SessionTableProps {
  readonly data: readonly Schemas['ListedSession'][];
  readonly end: (session: Schemas['ListedSession']) => Promise<void>;
}

function SessionTable({ data, end }: SessionTableProps) {
  return (
    <ScrolledTable label="Sessions">
      <thead>
        <tr>
          <th scope="col">Signed in</th>
          <th scope="col">With</th>
          <th scope="col">From</th>
          <th scope="col" class="wide">
            Browser
          </th>
          <th scope="col">Last seen</th>
          <th scope="col">
            <span class="hidden">End</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {data.map((session) => (
          <tr key={session.session_id}>
            <th scope="row">
              <Moment ms={Date.parse(session.opened_at)} />
            </th>
            <td>{session.method}</td>
            <td>{session.address}</td>
            <td class="wide agent" title={session.agent}>
              {session.agent}
            </td>
            <td>
              <Moment ms={Date.parse(session.seen_at)} />
            </td>
            <td class="number">
              {session.current ? (
                <span class="faint">this browser</span>
              ) : (
                <Confirmed
                  text="End"
                  label={`End the session from ${session.address}`}
                  warning="It is signed out at once."
                  yes="End it"
                  no="Keep it"
                  act={() => end(session)}
                />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}
