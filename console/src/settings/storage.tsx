/** What is kept of the account, for how long, and the end of all of it. */
import { useEffect, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { byteCount } from '../format.ts';
import { Failure, Loading } from '../parts/states.tsx';
import { Confirmed } from './confirmed.tsx';
import { granted, type Schemas, sentenceOf, settings } from './session.ts';

const EVERY_MS = 15_000;
const storage = polled(() => granted(settings.GET('/settings/api/storage')), EVERY_MS);

/** Asks once more when an earlier call is answered, which may not know of the change yet. */
const again = () => storage.refresh().then(() => storage.refresh());

/** The screen at `#/storage`. */
export function StorageView({ role }: { readonly role: string }) {
  useEffect(() => storage.start(), []);
  const [said, say] = useState('');
  const { value, failure } = storage.asked.value;
  const mayChange = role === 'owner';
  return (
    <>
      <h1>Storage</h1>
      {failure && <Failure sentence={failure} retry={() => void storage.refresh()} />}
      {value === null ? !failure && <Loading lines={3} /> : <Used of={value} />}
      {value && <Kept key={`${value.retention_days} ${value.log_payloads}`} of={value} {...{ mayChange, say }} />}
      {value && mayChange && <DeleteAll say={say} />}
      <p class="small" role="status">
        {said}
      </p>
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
        <dt title="Beyond it the oldest results and files are deleted">Of at most</dt>
        <dd title={`${most} bytes`}>{byteCount(most)}</dd>
      </div>
    </dl>
  );
}

interface KeptProps {
  readonly of: Schemas['Storage'];
  readonly mayChange: boolean;
  readonly say: (text: string) => void;
}

function Kept({ of, mayChange, say }: KeptProps) {
  const [days, setDays] = useState(String(of.retention_days));
  const [logs, setLogs] = useState(of.log_payloads);
  const [failure, setFailure] = useState('');
  const save = async () => {
    setFailure('');
    try {
      const body = { retention_days: Number(days), log_payloads: logs };
      await granted(settings.PUT('/settings/api/storage', { body }));
      say('This is kept from now on. What is stored already keeps its end.');
      await again();
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <p class="row">
        <label>
          Keep results for days{' '}
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
        <span class="faint small">0 stores none: an answer that its caller missed is lost.</span>
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
        <button type="submit" class="button">
          Save
        </button>
      )}
      {failure && (
        <span class="fall" role="alert">
          {' '}
          {failure}
        </span>
      )}
    </form>
  );
}

function DeleteAll({ say }: { readonly say: (text: string) => void }) {
  const clear = async () => {
    const sum = { results: 0, files: 0, requests: 0 };
    for (let more = true; more; ) {
      const cleared = await granted(settings.POST('/settings/api/storage/clear'));
      sum.results += cleared.results;
      sum.files += cleared.files;
      sum.requests += cleared.requests;
      more = cleared.more;
      say(`${sum.results} results, ${sum.files} files and ${sum.requests} logged requests are deleted.`);
      await storage.refresh();
    }
    await again();
  };
  return (
    <section>
      <h2>Delete everything</h2>
      <p>
        Results, files and logged requests. Orders, their receipts and the ledger stay: they are the books of both
        sides.
      </p>
      <p>
        <Confirmed
          text="Delete everything"
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
