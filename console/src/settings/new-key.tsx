/** A new key: its form, and the one moment in which the key itself is shown, with a call to try it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { answered, api } from '../data/api.ts';
import { ScrolledCode } from '../parts/scrolled.tsx';
import { Copy } from '../parts/source.tsx';
import { granted, type Schemas, sentenceOf, settings } from './session.ts';

/** The form. */
export function KeyForm({ onCreated }: { readonly onCreated: (key: Schemas['CreatedKey']) => void }) {
  const [name, setName] = useState('');
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState(false);
  const create = async () => {
    setBusy(true);
    setFailure('');
    try {
      onCreated(await granted(settings.POST('/settings/api/keys', { body: { name } })));
      setName('');
    } catch (error) {
      setFailure(sentenceOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <label>
        New key{' '}
        <input
          value={name}
          placeholder="What uses it"
          maxLength={255}
          required
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <button type="submit" class="button" disabled={busy}>
        Create key
      </button>
      {failure && (
        <span class="fall" role="alert">
          {failure}
        </span>
      )}
    </form>
  );
}

/** The key itself, which no other page and no later visit shows. */
export function NewSecret({ made, onDone }: { readonly made: Schemas['CreatedKey']; readonly onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [call, setCall] = useState('');
  useEffect(() => {
    heading.current?.focus();
    // Without a model on sale there is nothing to call; the key is what matters.
    firstCall(made.api_key).then(setCall, () => setCall(''));
  }, [made]);
  return (
    <section class="panel made" aria-label="The new key">
      <h2 ref={heading} tabIndex={-1}>
        {made.name}: store this key now, it is shown only once
      </h2>
      <p>
        <code class="secret">{made.api_key}</code> <Copy text={made.api_key} label="Copy the key" />
      </p>
      {call && (
        <>
          <div class="head">
            <span class="faint">Try it in a shell:</span>
            <Copy text={call} label="Copy the call" />
          </div>
          <ScrolledCode text={call} kind="call" />
          <p class="faint">
            What it cost, and why, is under <a href="#/activity">Activity</a>.
          </p>
        </>
      )}
      <button type="button" class="button" onClick={onDone}>
        I have stored it
      </button>
    </section>
  );
}

/** A call with the first model on sale; its limit is twice the level, and the charge is at the level. */
async function firstCall(key: string): Promise<string> {
  const { models } = await answered(api.GET('/v1/market/summary'));
  const row = models.find(({ preview, deprecated }) => !preview && !deprecated);
  if (!row) return '';
  const limit = row.level === null ? {} : { price_limit: Number((2 * row.level).toPrecision(2)) };
  const body = { model: row.model, ...limit, messages: [{ role: 'user', content: 'What is a sluice?' }] };
  return `curl ${location.origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(body)}'`;
}
