/** The gateway at a glance: what it earns, what waits and runs, and what is wrong. */

import { type ComponentChildren, Fragment } from 'preact';
import { placeLink } from '../address.ts';
import { nowMs } from '../clock.ts';
import { useSource } from '../data/polled.ts';
import { countWhole, duration, moment, momentUtc } from '../format.ts';
import { useAct } from '../parts/act.tsx';
import { Count, Moment, Money, Nothing, Share, UnitPrice } from '../parts/figures.tsx';
import { type Column, DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { FiguresPage } from './figures-page.tsx';
import { HistorySection } from './history.tsx';
import type { PageProps } from './page.ts';

const EVERY_MS = 5_000;
/** It runs once a day, or when somebody begins it. */
const AUDIT_EVERY_MS = 30_000;
const PATH = '/console/api/overview';

type Figures = Schemas['Overview'];

/** The page at `#/overview`. */
export function OverviewPage({ role }: PageProps) {
  return (
    <FiguresPage
      title="Overview"
      path={PATH}
      ask={() => granted(settings.GET(PATH))}
      everyMs={EVERY_MS}
      sheet={sheetOf}
      beside={({ version, started_at }) => (
        <span class="faint small">
          Version {version}, since <Moment ms={Date.parse(started_at)} />
        </span>
      )}
    >
      {(value, again) => (
        <>
          <Alarms of={value} changed={role === 'operator' ? again : null} />
          <Now of={value} />
          <HistorySection />
          <Models of={value} />
          {value.refusals && <Refusals of={value.refusals} />}
        </>
      )}
    </FiguresPage>
  );
}

interface AlarmsProps {
  readonly of: Figures;
  /** Loads the figures again after a change; null for those who may only look. */
  readonly changed: (() => Promise<void>) | null;
}

/** What needs somebody now; nothing when all is well. Each pod that is down has its own card, those that rest share one. */
function Alarms({ of: { journal, disk_low, pods }, changed }: AlarmsProps) {
  return (
    <div class="alarms">
      {journal.stalled && <Alarm>The database does not commit: nothing is admitted until it does.</Alarm>}
      {disk_low && <Alarm>The disk is nearly full: nothing new is stored on it.</Alarm>}
      {pods.out.map((pod) => (
        <PodOut key={`${pod.model} ${pod.pod}`} of={pod} changed={changed} />
      ))}
    </div>
  );
}

function Alarm({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="failure" role="alert">
      {children}
    </div>
  );
}

interface PodOutProps extends Pick<AlarmsProps, 'changed'> {
  readonly of: Schemas['OverviewPodOut'];
}

function PodOut({ of: { model, pod, state, reason, since, cost_usd_per_minute: cost }, changed }: PodOutProps) {
  const params = { path: { id: pod } };
  const drain = () => granted(settings.POST('/console/api/pods/{id}/drain', { params }));
  const resume = () => granted(settings.POST('/console/api/pods/{id}/resume', { params }));
  const isDown = state === 'unhealthy';
  return (
    <section
      class={isDown ? 'failure' : 'failure resting'}
      role={isDown ? 'alert' : undefined}
      aria-label={`${pod} of ${model}`}
    >
      <strong>
        {pod} of {model} is {state}
      </strong>
      {reason !== null && <p>{reason}</p>}
      <p>
        {since !== null && (
          <>
            Since <Moment ms={Date.parse(since)} />, {duration(Math.max(0, nowMs() - Date.parse(since)))} ago.{' '}
          </>
        )}
        {cost > 0 && (
          <>
            While it is out, sales of about <Money value={cost} /> a minute are lost.
          </>
        )}
      </p>
      <p class="row">
        {changed && (
          <AtOnce label={isDown ? `Drain ${pod}` : `Resume ${pod}`} act={isDown ? drain : resume} changed={changed} />
        )}
        <a class="button" href={placeLink('pods')}>
          Health and slots
        </a>
        <a class="button" href={placeLink('book', model)}>
          What waits for it
        </a>
      </p>
    </section>
  );
}

interface AtOnceProps {
  readonly label: string;
  readonly act: () => Promise<unknown>;
  readonly changed: () => Promise<void>;
}

/** Neither costs anything, and each undoes the other: it asks no question. */
function AtOnce({ label, act, changed }: AtOnceProps) {
  const doing = useAct(() => act().then(changed));
  return (
    <>
      <button type="button" class="button" aria-busy={doing.isBusy} onClick={() => void doing.run()}>
        {label}
      </button>
      {doing.failure}
    </>
  );
}

function Now({ of: { orders, pods, journal, utilisation, ...money } }: { readonly of: Figures }) {
  const from = Date.parse(money.revenue_from);
  return (
    <dl class="now">
      <div title={`Since ${moment(from)} (${momentUtc(from)}), net of refunds`}>
        <dt>Revenue a minute</dt>
        <dd class="big">
          <Money value={money.revenue_usd_per_minute} />
        </dd>
      </div>
      <div title="Of the slots of pods that get orders">
        <dt>Utilization</dt>
        <dd class="big">
          <Share pct={utilisation === null ? null : utilisation * 100} />
        </dd>
      </div>
      <div>
        <dt>Waiting</dt>
        <dd class="big">
          <Count value={orders.queued} />
        </dd>
      </div>
      <div>
        <dt>Executing</dt>
        <dd class="big">
          <Count value={orders.executing} />
        </dd>
      </div>
      <div>
        <dt>Pods with orders</dt>
        <dd class="big">
          {pods.taking_orders} of {pods.total}
        </dd>
      </div>
      <div title={`${countWhole(journal.pending)} changes are not known to be committed`}>
        <dt>Journal lag</dt>
        <dd class="big">{duration(journal.lag_ms)}</dd>
      </div>
      <Audit />
    </dl>
  );
}

/** Where the ledger stands: what the last audit found that nobody has explained. */
function Audit() {
  const load = () => granted(settings.GET('/console/api/audit'));
  const { value } = useSource('audit', load, AUDIT_EVERY_MS).asked.value;
  if (value === null) return null;
  const { last, running, failed_at: failed } = value;
  const open = last?.findings.filter(({ acknowledged }) => acknowledged === null).length ?? 0;
  const ended = last && Date.parse(last.ended_at);
  const outcome = failed !== null ? 'failed' : open === 0 ? 'agrees' : findingsText(open);
  return (
    <div title={ended === null ? 'None has ended yet' : `${moment(ended)} (${momentUtc(ended)})`}>
      <dt>{running ? 'Last audit (the next runs)' : 'Last audit'}</dt>
      <dd class={`big ${open > 0 || failed !== null ? 'fall' : ''}`}>{last || failed ? outcome : <Nothing />}</dd>
    </div>
  );
}

/** The list ends with one that counts the others. */
const FINDINGS_MAX = 1_000;

function findingsText(open: number): string {
  if (open > FINDINGS_MAX) return `over ${countWhole(FINDINGS_MAX)} findings`;
  return open === 1 ? '1 finding' : `${open} findings`;
}

function Models({ of: { models, revenue_from: from } }: { readonly of: Figures }) {
  return (
    <section>
      <div class="head">
        <h2>Models</h2>
        <span class="faint small">
          Settled and earned since <Moment ms={Date.parse(from)} />
        </span>
      </div>
      <DataTable label="Models" rows={models} keyOf={({ model }) => model} order="sort" columns={MODEL_COLUMNS} />
    </section>
  );
}

const MODEL_COLUMNS: readonly Column<Schemas['OverviewModel']>[] = [
  { head: 'Model', sort: ({ model }) => model, cell: (row) => <Name of={row} /> },
  { head: 'Pricing', room: 'some', cell: ({ pricing }) => pricing },
  {
    ...{ head: 'Level', number: true, sort: ({ level }) => level },
    cell: ({ level }) => (
      <span class="level">
        <UnitPrice value={level} />
      </span>
    ),
  },
  {
    head: 'Waiting',
    number: true,
    sort: ({ queued }) => queued,
    cell: ({ queued }) => <Count value={queued} />,
  },
  {
    head: 'Executing',
    number: true,
    sort: ({ executing }) => executing,
    cell: ({ executing }) => <Count value={executing} />,
  },
  {
    head: 'Orders settled',
    number: true,
    sort: ({ requests }) => requests,
    cell: ({ requests }) => <Count value={requests} />,
  },
  {
    head: 'Earned',
    number: true,
    sort: ({ earned_usd }) => earned_usd,
    cell: ({ earned_usd }) => <Money value={earned_usd} />,
  },
];

function Name({ of: { model, preview, degraded } }: { readonly of: Schemas['OverviewModel'] }) {
  return (
    <>
      <a class="name" href={placeLink('book', model)}>
        {model}
      </a>
      {preview && (
        <span class="badge" title="It takes no requests yet; its level is simulated.">
          preview
        </span>
      )}
      {degraded && (
        <span class="badge badge-degraded" title="No pod of it is healthy: its orders wait.">
          no pods
        </span>
      )}
    </>
  );
}

/** More codes than this are not worth a look. */
const CODES_MAX = 12;

function Refusals({ of }: { readonly of: NonNullable<Figures['refusals']> }) {
  return (
    <section class="panel later" aria-label="Errors by code">
      <h2>Errors by code</h2>
      {of.length === 0 ? (
        <p class="faint">No request of the API was answered with an error.</p>
      ) : (
        <dl class="figures codes">
          {of.slice(0, CODES_MAX).map(({ code, requests }) => (
            <Fragment key={code}>
              <dt>
                <code>{code}</code>
              </dt>
              <dd>
                <Count value={requests} />
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
    </section>
  );
}

function sheetOf({ models, revenue_from }: Figures) {
  const head = ['model', 'pricing', 'level', 'degraded', 'queued', 'executing', 'requests', 'earned_usd', 'since'];
  const rows = models.map((row) => [
    ...[row.model, row.pricing, row.level, row.degraded, row.queued, row.executing],
    ...[row.requests, row.earned_usd, revenue_from],
  ]);
  return { name: 'overview', rows: () => [head, ...rows] };
}
