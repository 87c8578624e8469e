/** What is kept of the account, for how long, and the end of all of it. */
import { useEffect, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { byteCount } from '../format.ts';
import { Form, useAct } from '../parts/act.tsx';
import { Heading } from '../parts/heading.tsx';
import { Shown } from '../parts/shown.tsx';
import { say } from '../parts/toast.tsx';
import { Confirmed } from './confirmed.tsx';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 15_000;
const storage = polled(() => granted(settings.GET('/settings/api/storage')), EVERY_MS);

const again = () => storage.again();

/** The screen at `#/storage`. */
export function StorageView({ role }: { readonly role: string }) {
  useEffect(() => storage.start(), []);
  const { value } = storage.asked.value;
  const mayChange = role === 'owner';
  return (
    <>
      <Heading title="Storage" />
      <Shown source={storage} lines={3}>
        {(used) => <Used of={used} />}
      </Shown>
      {value && <Kept key={`${value.retention_days} ${value.log_payloads}`} of={value} mayChange={mayChange} />}
      {value && mayChange && <DeleteAll />}
    </>
  );
}

function Used({ of: { stored_bytes: used, stored_bytes_max: most } }: { readonly of: Schemas['Storage'] }) {
  return (
    <dl class="now">
      <div>
        <dt>Stored</dt>
        <dd class="big" title={`${used} bytes`}>
          {byteCount(used)}
        </dd>
      </div>
      <div>
        <dt title="Beyond it the oldest results and files are deleted">At most</dt>
        <dd title={`${most} bytes`}>{byteCount(most)}</dd>
      </div>
    </dl>
  );
}

interface KeptProps {
  readonly of: Schemas['Storage'];
  readonly mayChange: boolean;
}

function Kept({ of, mayChange }: KeptProps) {
  const [days, setDays] = useState(String(of.retention_days));
  const [logs, setLogs] = useState(of.log_payloads);
  const save = useAct(async () => {
    const body = { retention_days: Number(days), log_payloads: logs };
    await granted(settings.PUT('/settings/api/storage', { body }));
    say('This is kept from now on. What is stored already keeps its end.');
    await again();
  });
  return (
    <Form act={save} class="">
      <p class="row">
        <label>
          Keep results, in days{' '}
          <input
            type="number"
            min={0}
            max={30}
            step={1}
            required
            disabled={!mayChange}
            value={days}
            onInput={({ currentTarget }) => setDays(currentTarget.value)}
          />
        </label>
        <span class="faint small">With 0, nothing is stored: an answer that its caller missed is lost.</span>
      </p>
      <p class="row">
        <label>
          <input
            type="checkbox"
            checked={logs}
            disabled={!mayChange}
            onChange={({ currentTarget }) => setLogs(currentTarget.checked)}
          />{' '}
          Log payloads
        </label>
      </p>
      {logs && (
        <p class="note">
          The operator of this gateway can read every prompt that is logged, as long as results are kept. Leave it off
          unless you look for a fault together.
        </p>
      )}
      {mayChange && (
        <button type="submit" class="button primary">
          Save
        </button>
      )}
    </Form>
  );
}

function DeleteAll() {
  const clear = async () => {
    const sum = { results: 0, files: 0, requests: 0 };
    for (let more = true; more; ) {
      const cleared = await granted(settings.POST('/settings/api/storage/clear'));
      sum.results += cleared.results;
      sum.files += cleared.files;
      sum.requests += cleared.requests;
      more = cleared.more;
      await storage.refresh();
    }
    say(`${sum.results} results, ${sum.files} files and ${sum.requests} logged requests are deleted.`);
    await again();
  };
  return (
    <section>
      <h2>Delete what is stored</h2>
      <p>
        Results, files and logged requests. Orders, their receipts and the ledger stay: they are the books of both
        sides.
      </p>
      <p>
        <Confirmed
          text="Delete what is stored"
          warning="Nobody can bring it back."
          yes="Delete it all"
          no="Keep it"
          act={clear}
          heavy
        />
      </p>
    </section>
  );
}
