/** The audit of the ledger: the last one, its findings, and the button that begins another. */
import { useState } from 'preact/hooks';
import { useSource } from '../data/polled.ts';
import { Form, Unfold, useAct } from '../parts/act.tsx';
import { Count, Moment } from '../parts/figures.tsx';
import { Shown } from '../parts/shown.tsx';
import { Source } from '../parts/source.tsx';
import { Failure } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';

const EVERY_MS = 3_000;
const PATH = '/console/api/audit';
const SHOWN_MAX = 100;

type State = Schemas['Audit'];
type Last = NonNullable<State['last']>;
type Finding = Schemas['AuditFinding'];

/** The section of the page on money; `mayAct` is for those who may begin one. */
export function AuditSection({ mayAct }: { readonly mayAct: boolean }) {
  const source = useSource(PATH, () => granted(settings.GET(PATH)), EVERY_MS);
  const { value } = source.asked.value;
  const begin = useAct(async () => {
    await granted(settings.POST(PATH));
    await source.again();
  });
  const running = value?.running ?? null;
  return (
    <section aria-label="Audit">
      <div class="head">
        <h2>Audit</h2>
        {mayAct && value && (
          <button
            type="button"
            class="button"
            aria-disabled={running !== null}
            onClick={() => running === null && void begin.run()}
          >
            {running === null ? 'Audit now' : 'Auditing'}
          </button>
        )}
      </div>
      {begin.failure !== '' && <Failure sentence={begin.failure} />}
      <Shown source={source} lines={3}>
        {(state) => (
          <>
            <Standing of={state} />
            {state.last && state.last.findings.length > 0 && (
              <Findings of={state.last} changed={mayAct ? source.again : null} />
            )}
          </>
        )}
      </Shown>
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
      <DataTable
        label="Findings"
        rows={findings.slice(0, SHOWN_MAX)}
        keyOf={({ finding_id }) => finding_id}
        columns={[
          {
            head: 'Finding',
            cell: ({ finding_id, sentence }) => (
              <>
                {sentence}
                <span class="id">{finding_id}</span>
              </>
            ),
          },
          { head: 'Acknowledged', cell: (finding) => <Acknowledged finding={finding} changed={changed} /> },
        ]}
      />
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
  return (
    <Unfold text="Acknowledge" label={`Acknowledge ${id}`}>
      {() => <Acknowledge id={id} changed={changed} />}
    </Unfold>
  );
}

function Acknowledge({ id, changed }: { readonly id: string; readonly changed: () => Promise<void> }) {
  const [reason, setReason] = useState('');
  const acknowledge = useAct(async () => {
    await granted(settings.POST('/console/api/audit/acknowledgements', { body: { finding_id: id, reason } }));
    await changed();
  });
  return (
    <Form act={acknowledge} class="confirm">
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
    </Form>
  );
}
