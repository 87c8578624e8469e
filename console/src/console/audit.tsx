/** The audit of the ledger: the last one, its findings, and the button that begins another. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { polled } from '../data/polled.ts';
import { Count, Moment } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Source } from '../parts/source.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { granted, type Schemas, sentenceOf, settings } from '../settings/session.ts';

const EVERY_MS = 3_000;
const PATH = '/console/api/audit';
const SHOWN_MAX = 100;

type State = Schemas['Audit'];
type Last = NonNullable<State['last']>;
type Finding = Schemas['AuditFinding'];

/** The section of the page on money; `mayAct` is for those who may begin one. */
export function AuditSection({ mayAct }: { readonly mayAct: boolean }) {
  const source = useMemo(() => polled(() => granted(settings.GET(PATH)), EVERY_MS), []);
  useEffect(() => source.start(), [source]);
  const [refused, refuse] = useState('');
  const { value, failure } = source.asked.value;
  const again = () => source.refresh().then(() => source.refresh());
  const begin = async () => {
    refuse('');
    try {
      await granted(settings.POST(PATH));
      await again();
    } catch (error) {
      refuse(sentenceOf(error));
    }
  };
  const running = value?.running ?? null;
  return (
    <section aria-label="Audit">
      <div class="head">
        <h2>Audit</h2>
        {mayAct && value && (
          <button type="button" class="button" disabled={running !== null} onClick={() => void begin()}>
            {running === null ? 'Audit now' : 'Auditing'}
          </button>
        )}
      </div>
      {(refused || failure) && <Failure sentence={refused || (failure ?? '')} />}
      {value === null ? !failure && <Loading lines={3} /> : <Standing of={value} />}
      {value?.last && value.last.findings.length > 0 && <Findings of={value.last} changed={mayAct ? again : null} />}
      <Source path={PATH} />
    </section>
  );
}

function Standing({ of: { running, last, failed_at } }: { readonly of: State }) {
  return (
    <div role="status">
      {running && (
        <p>
          An audit runs since <Moment ms={Date.parse(running.started_at)} />, begun by {running.by}. Orders go on.
        </p>
      )}
      {failed_at !== null && (
        <p class="fall">
          The audit of <Moment ms={Date.parse(failed_at)} /> could not be finished; the log of its gateway says why.
        </p>
      )}
      {last ? (
        <Verdict of={last} />
      ) : (
        <p class="faint">No audit has ended yet. One runs every day, unless it is switched off.</p>
      )}
    </div>
  );
}

function Verdict({ of: { ok, findings, accounts, orders, ended_at, by, acknowledged } }: { readonly of: Last }) {
  const open = findings.filter((finding) => finding.acknowledged === null).length;
  return (
    <p>
      <span class={ok || open === 0 ? 'rise' : 'fall'}>
        {ok
          ? 'The books agree.'
          : open === 0
            ? 'Every finding is acknowledged.'
            : `${open} of ${findings.length} findings are open.`}
      </span>{' '}
      <Count value={accounts} /> accounts and <Count value={orders} /> orders checked,{' '}
      <Moment ms={Date.parse(ended_at)} />, {by === 'daily' ? 'as every day' : `begun by ${by}`}
      {acknowledged > 0 && `; ${acknowledged} earlier findings acknowledged`}.
    </p>
  );
}

function Findings({
  of: { findings },
  changed,
}: {
  readonly of: Last;
  readonly changed: (() => Promise<void>) | null;
}) {
  return (
    <>
      <ScrolledTable label="Findings">
        <thead>
          <tr>
            <th scope="col">Finding</th>
            <th scope="col">Acknowledged</th>
          </tr>
        </thead>
        <tbody>
          {findings.slice(0, SHOWN_MAX).map((finding) => (
            <tr key={finding.finding_id}>
              <td class="reason">
                {finding.sentence}
                <span class="id">{finding.finding_id}</span>
              </td>
              <td class="reason">
                <Acknowledged finding={finding} changed={changed} />
              </td>
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
      {findings.length > SHOWN_MAX && (
        <p class="faint small">
          {findings.length - SHOWN_MAX} more are not shown; <code>npx sluice audit</code> lists them.
        </p>
      )}
    </>
  );
}

interface AcknowledgedProps {
  readonly finding: Finding;
  readonly changed: (() => Promise<void>) | null;
}

function Acknowledged({ finding: { finding_id: id, acknowledged }, changed }: AcknowledgedProps) {
  const [reason, setReason] = useState<string | null>(null);
  const [failure, setFailure] = useState('');
  const acknowledge = async () => {
    setFailure('');
    try {
      const body = { finding_id: id, reason: reason ?? '' };
      await granted(settings.POST('/console/api/audit/acknowledgements', { body }));
      await changed?.();
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };
  if (acknowledged)
    return (
      <>
        {acknowledged.reason}
        <span class="id">
          {acknowledged.by}, <Moment ms={Date.parse(acknowledged.at)} />
        </span>
      </>
    );
  if (changed === null) return <span class="faint">not yet</span>;
  if (reason === null)
    return (
      <button type="button" class="plain" aria-label={`Acknowledge ${id}`} onClick={() => setReason('')}>
        Acknowledge
      </button>
    );
  return (
    <form
      class="confirm"
      onSubmit={(event) => {
        event.preventDefault();
        void acknowledge();
      }}
    >
      <label>
        Why it is accepted{' '}
        <input
          required
          maxLength={1000}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </label>{' '}
      <button type="submit" class="button">
        Acknowledge
      </button>
      {failure && <span role="alert"> {failure}</span>}
    </form>
  );
}
