/** How a member signs in, and where it is signed in now: passkeys, the password, open sessions. */
import { useEffect, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Form, useAct } from '../parts/act.tsx';
import { MomentOr } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { DataTable } from '../parts/table.tsx';
import { say } from '../parts/toast.tsx';
import { Confirmed } from './confirmed.tsx';
import { PasskeysPart } from './passkeys.tsx';
import { granted, loadSession, type Schemas, settings } from './session.ts';

const EVERY_MS = 30_000;
const sessions = polled(() => granted(settings.GET('/settings/api/sessions')), EVERY_MS);

const again = () => sessions.again();

/** The screen at `#/security`. */
export function SecurityView({ who }: { readonly who: Schemas['Session'] }) {
  return (
    <>
      <Heading title="Security" />
      <PasskeysPart />
      <Password who={who} />
      <Sessions />
    </>
  );
}

function Password({ who: { email, has_password: had } }: { readonly who: Schemas['Session'] }) {
  const [password, setPassword] = useState('');
  const [current, setCurrent] = useState('');
  const set = useAct(async () => {
    const body = { password, ...(current === '' ? {} : { current_password: current }) };
    await granted(settings.PUT('/settings/api/password', { body }));
    setPassword('');
    setCurrent('');
    say('The password is set. All your other sessions are over.');
    await Promise.all([again(), loadSession()]);
  });
  return (
    <section class="panel" aria-label="Password">
      <h2>Password</h2>
      <p class="faint small">
        {had
          ? 'Another one ends all your other sessions. Within an hour of a one-time link the current one is not needed.'
          : 'You have none. With one you can sign in where you have no passkey.'}
      </p>
      <Form act={set}>
        <input type="email" class="hidden" autocomplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
        {had && <PasswordField text="Current password" kind="current-password" value={current} onChange={setCurrent} />}
        <PasswordField text="New password" kind="new-password" value={password} onChange={setPassword} />
        <button type="submit" class="button">
          {had ? 'Change the password' : 'Set a password'}
        </button>
      </Form>
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
  const end = async ({ session_id: id }: Schemas['ListedSession']) => {
    await granted(settings.DELETE('/settings/api/sessions/{id}', { params: { path: { id } } }));
    say('That session is over.');
    await again();
  };
  return (
    <section class="panel" aria-label="Where you are signed in">
      <h2>Where you are signed in</h2>
      <Shown source={sessions} lines={2}>
        {({ data }) => <SessionTable data={data} end={end} />}
      </Shown>
    </section>
  );
}

interface SessionTableProps {
  readonly data: readonly Schemas['ListedSession'][];
  readonly end: (session: Schemas['ListedSession']) => Promise<void>;
}

function SessionTable({ data, end }: SessionTableProps) {
  return (
    <DataTable
      label="Sessions"
      rows={data}
      keyOf={({ session_id }) => session_id}
      columns={[
        { head: 'Signed in', cell: ({ opened_at }) => <MomentOr at={opened_at} /> },
        { head: 'With', cell: ({ method }) => method },
        { head: 'From', cell: ({ address }) => address },
        {
          ...{ head: 'Browser', room: 'much' },
          cell: ({ agent }) => (
            <span class="agent" title={agent}>
              {agent}
            </span>
          ),
        },
        { head: 'Last seen', cell: ({ seen_at }) => <MomentOr at={seen_at} /> },
        {
          ...{ head: 'End', unheaded: true, number: true },
          cell: (session) =>
            session.current ? (
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
            ),
        },
      ]}
    />
  );
}
