/** A new key: its form, and the one moment in which a secret is shown, with a call to try it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { answered, api } from '../data/api.ts';
import { board } from '../data/board.ts';
import { Form, useAct } from '../parts/act.tsx';
import { ScrolledCode } from '../parts/scrolled.tsx';
import { Copy } from '../parts/source.tsx';
import { allowedOf, changesOf, mayText, NEW_FIELDS, SettingFields, UseField } from './key-fields.tsx';
import { granted, settings } from './session.ts';

/** A secret that was just made. */
export interface MadeSecret {
  readonly keyId: string;
  readonly name: string;
  readonly secret: string;
  /** What the key may call; null for all. */
  readonly models: readonly string[] | null;
  readonly scopes: readonly string[];
}

/** The form. */
export function KeyForm({ onCreated }: { readonly onCreated: (made: MadeSecret) => void }) {
  const [fields, setFields] = useState(NEW_FIELDS);
  const create = useAct(async () => {
    const body = { ...changesOf(NEW_FIELDS, fields), name: fields.name };
    const { key_id: keyId, name, api_key: secret } = await granted(settings.POST('/settings/api/keys', { body }));
    onCreated({ keyId, name, secret, models: body.models ?? null, scopes: allowedOf(fields) });
    setFields(NEW_FIELDS);
  });
  return (
    <Form act={create} class="">
      <p class="row">
        <label>
          New key{' '}
          <input
            value={fields.name}
            placeholder="What uses it"
            maxLength={255}
            required
            onInput={({ currentTarget }) => setFields({ ...fields, name: currentTarget.value })}
          />
        </label>
        <UseField fields={fields} onChange={setFields} />
        <button type="submit" class="button primary">
          Create key
        </button>
      </p>
      <details>
        <summary>Budget, expiry and models; scopes, addresses and owner</summary>
        <SettingFields fields={fields} onChange={setFields} models={onSale()} />
      </details>
    </Form>
  );
}

/** The models that take requests, as far as they are known. */
export function onSale() {
  return (board.asked.value.value ?? []).filter(({ preview, deprecated }) => !preview && !deprecated);
}

/** The secret itself, which no other page and no later visit shows. */
export function NewSecret({ made, onDone }: { readonly made: MadeSecret; readonly onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [call, setCall] = useState('');
  useEffect(() => {
    heading.current?.focus();
    // Without a model on sale there is nothing to call; the key is what matters.
    firstCall(made).then(setCall, () => setCall(''));
  }, [made]);
  return (
    <section class="panel made" aria-label="The new key">
      <h2 ref={heading} tabIndex={-1}>
        {made.name}: store this key now, it is shown only once
      </h2>
      <p>
        <code class="secret">{made.secret}</code> <Copy text={made.secret} label="Copy the key" />
      </p>
      <p class="faint">It may {mayText(made.scopes)}.</p>
      {call && (
        <>
          <div class="head">
            <span class="faint">Try it in a shell:</span>
            <Copy text={call} label="Copy the call" />
          </div>
          <ScrolledCode text={call} kind="call" />
          <p class="faint">Store the key before you leave: what the call cost, and why, is then under Activity.</p>
        </>
      )}
      <button type="button" class="button" onClick={onDone}>
        I have stored it
      </button>
    </section>
  );
}

/** A call with the first model that the key may use; its limit is twice the level, and the charge is at the level. */
async function firstCall({ secret, models: allowed }: MadeSecret): Promise<string> {
  const { models } = await answered(api.GET('/v1/market/summary'));
  const row = models.find(
    ({ model, preview, deprecated }) => !preview && !deprecated && (allowed?.includes(model) ?? true),
  );
  if (!row) return '';
  const limit = row.level === null ? {} : { price_limit: Number((2 * row.level).toPrecision(2)) };
  const body = { model: row.model, ...limit, messages: [{ role: 'user', content: 'What is a sluice?' }] };
  return `curl ${location.origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${secret}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(body)}'`;
}
