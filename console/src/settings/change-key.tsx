/** What is done to one key: its settings are changed, it gets a second secret, or it ends. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Form, useAct } from '../parts/act.tsx';
import { Confirmed } from './confirmed.tsx';
import { changesOf, fieldsOf, SettingFields } from './key-fields.tsx';
import { type MadeSecret, onSale } from './new-key.tsx';
import { granted, type Schemas, settings } from './session.ts';

type Key = Schemas['ListedKey'];

/** What the panel above the table is about. */
export interface KeyTask {
  readonly kind: 'change' | 'rotate';
  readonly key: Key;
}

interface TaskProps {
  readonly of: Key;
  readonly onDone: (said: string, made?: MadeSecret) => void;
  readonly onClose: () => void;
}

/** The panel of a task. */
export function KeyTaskPanel({ kind, ...props }: TaskProps & { readonly kind: KeyTask['kind'] }) {
  return kind === 'change' ? <Change {...props} /> : <Rotate {...props} />;
}

function Change({ of: key, onDone, onClose }: TaskProps) {
  const [before] = useState(() => fieldsOf(key));
  const [fields, setFields] = useState(before);
  const save = async () => {
    const params = { path: { id: key.key_id } };
    await granted(settings.PATCH('/settings/api/keys/{id}', { params, body: changesOf(before, fields) }));
    onDone(`${fields.name} is changed.`);
  };
  return (
    <Panel title={`Change ${key.name}`} act="Save" run={save} onClose={onClose}>
      <p class="row">
        <label>
          Name{' '}
          <input
            value={fields.name}
            maxLength={255}
            required
            onInput={({ currentTarget }) => setFields({ ...fields, name: currentTarget.value })}
          />
        </label>
      </p>
      <SettingFields fields={fields} onChange={setFields} models={onSale()} />
    </Panel>
  );
}

const OVERLAPS = [
  [0, 'not at all'],
  [3600, 'for an hour'],
  [86_400, 'for a day'],
  [604_800, 'for a week'],
  [2_592_000, 'for 30 days'],
] as const;

function Rotate({ of: { key_id: id, name, models, scopes }, onDone, onClose }: TaskProps) {
  const [overlap, setOverlap] = useState(86_400);
  const rotate = async () => {
    const params = { path: { id } };
    const body = { overlap_seconds: overlap };
    const { api_key: secret } = await granted(settings.POST('/settings/api/keys/{id}/rotate', { params, body }));
    onDone('', { keyId: id, name, secret, models, scopes });
  };
  return (
    <Panel title={`Rotate ${name}`} act="Give it a new secret" run={rotate} onClose={onClose}>
      <p>
        The key keeps its name, budget and limits. A secret from before the last rotation is refused from now on, the
        present one{' '}
        <label>
          works{' '}
          <select value={overlap} onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}>
            {OVERLAPS.map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
          </select>
        </label>{' '}
        longer.
      </p>
    </Panel>
  );
}

interface PanelProps {
  readonly title: string;
  readonly act: string;
  readonly run: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

function Panel({ title, act, run, onClose, children }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section
      class="panel made"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <Form act={useAct(run)} class="">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {children}
        <p class="row">
          <button type="submit" class="button primary">
            {act}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Leave it
          </button>
        </p>
      </Form>
    </section>
  );
}

/** Ends a key for good. */
export function Revoke({ of: { key_id: id, name }, onDone }: { readonly of: Key; readonly onDone: () => void }) {
  const revoke = async () => {
    await granted(settings.DELETE('/settings/api/keys/{id}', { params: { path: { id } } }));
    onDone();
  };
  return (
    <Confirmed
      text="Revoke"
      label={`Revoke ${name}`}
      warning="Calls with it are refused from now on."
      yes="Revoke it"
      no="Keep it"
      act={revoke}
    />
  );
}
