/** The keys of the account: what there is, what each spent, a new one, and the end of one. */
import { useEffect, useState } from 'preact/hooks';
import { board } from '../data/board.ts';
import { polled } from '../data/polled.ts';
import { Export, type Exported } from '../parts/export.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { say } from '../parts/toast.tsx';
import { type KeyTask, KeyTaskPanel } from './change-key.tsx';
import { KeyTable } from './key-table.tsx';
import { KeyForm, type MadeSecret, NewSecret } from './new-key.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 15_000;
const keys = polled(() => granted(settings.GET('/settings/api/keys')), EVERY_MS);

/** The account on show, and the role of its viewer. */
interface KeysProps {
  readonly account: NonNullable<Schemas['SessionAccount']>;
  readonly role: string;
}

/** The screen at `#/keys`. */
export function KeysView({ account, role }: KeysProps) {
  useEffect(() => keys.start(), []);
  useEffect(() => board.start(), []);
  const [made, setMade] = useState<MadeSecret | null>(null);
  const [task, setTask] = useState<KeyTask | null>(null);
  const { value } = keys.asked.value;
  const mayChange = role === 'owner' || role === 'developer';
  const done = (sentence: string, secret?: MadeSecret) => {
    setTask(null);
    if (secret) setMade(secret);
    if (sentence !== '') say(sentence);
    void keys.again();
  };
  const revoked = ({ key_id, name }: Schemas['ListedKey']) => {
    if (made?.keyId === key_id) setMade(null);
    if (task?.key.key_id === key_id) setTask(null);
    done(`${name} is revoked.`);
  };
  return (
    <>
      <Heading title="Keys">
        {value && (
          <span class="row">
            <span class="faint">
              {value.data.filter(({ expired }) => !expired).length} of {value.active_max}
            </span>
            <Export of={exported(value.data)} />
          </span>
        )}
      </Heading>
      {made && <NewSecret made={made} onDone={() => setMade(null)} />}
      {task && (
        <KeyTaskPanel
          key={`${task.kind} ${task.key.key_id}`}
          kind={task.kind}
          of={task.key}
          onDone={done}
          onClose={() => setTask(null)}
        />
      )}
      {mayChange && account.status === 'active' && <KeyForm onCreated={(secret) => done('', secret)} />}
      {account.status !== 'active' && <p class="note">The account is {account.status}: it gets no new keys.</p>}
      <Shown source={keys}>
        {({ data }) => <KeyTable data={data} mayChange={mayChange} onTask={setTask} onRevoked={revoked} />}
      </Shown>
    </>
  );
}

function exported(data: readonly Schemas['ListedKey'][]): Exported {
  return {
    name: 'keys',
    columns: [
      ...['key_id', 'name', 'hint', 'created_at', 'last_used_at', 'spent_today_usd', 'spent_this_month_usd'],
      ...[
        'budget_usd',
        'budget_reset',
        'budget_spent_usd',
        'budget_held_usd',
        'expires_at',
        'models',
        'scopes',
        'addresses',
        'member',
      ],
    ],
    rows: () =>
      data.map((key) => [
        ...[key.key_id, key.name, key.hint, key.created_at, key.last_used_at],
        ...[key.spent_today_usd, key.spent_this_month_usd],
        ...[key.budget?.amount_usd ?? null, key.budget?.reset ?? null],
        ...[key.budget?.spent_usd ?? null, key.budget?.held_usd ?? null],
        ...[key.expires_at, key.models?.join(' ') ?? null],
        ...[key.scopes.join(' '), key.addresses?.join(' ') ?? null, key.member],
      ]),
  };
}
