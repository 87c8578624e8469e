/** The pods: whether each gets orders and why, its slots, how fast it answers, what failed, and what can be changed. */
import { duration } from '../format.ts';
import { Count, Moment, Nothing } from '../parts/figures.tsx';
import { ScrolledCode, ScrolledTable } from '../parts/scrolled.tsx';
import { Empty } from '../parts/states.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { FiguresPage } from './figures-page.tsx';
import { PodActions } from './pod-actions.tsx';
import { ReloadFile } from './reload-file.tsx';
import type { PageProps } from './route.ts';

const EVERY_MS = 4_000;
const PATH = '/console/api/pods';

type Pod = Schemas['Pod'];

/** The page at `#/pods`. */
export function PodsPage({ role }: PageProps) {
  return (
    <FiguresPage
      title="Pods"
      path={PATH}
      ask={() => granted(settings.GET(PATH))}
      everyMs={EVERY_MS}
      sheet={({ data }) => sheetOf(data)}
      beside={({ data }) => (
        <span class="faint">
          {data.filter(({ healthy, draining }) => healthy && !draining).length} of {data.length} get orders
        </span>
      )}
      below={() => <HowToAdd mayReload={role === 'operator'} />}
    >
      {({ data }, again) =>
        data.length === 0 ? (
          <Empty>The configuration has no pods: nothing can run.</Empty>
        ) : (
          <PodTable pods={data} changed={role === 'operator' ? again : null} />
        )
      }
    </FiguresPage>
  );
}

/** Null for those who may only look. */
type Changed = (() => Promise<void>) | null;

function PodTable({ pods, changed }: { readonly pods: readonly Pod[]; readonly changed: Changed }) {
  return (
    <ScrolledTable label="Pods">
      <thead>
        <tr>
          <th scope="col">Pod</th>
          <th scope="col">Health</th>
          <th scope="col">Slots</th>
          <th scope="col" class="number">
            First token
          </th>
          <th scope="col" class="number">
            Tokens a second
          </th>
          <th scope="col" class="number">
            Answered
          </th>
          <th scope="col" class="number">
            Failed
          </th>
          <th scope="col" class="number">
            No room
          </th>
          {changed && (
            <th scope="col">
              <span class="hidden">Changes</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {pods.map((pod) => (
          <Row key={`${pod.model} ${pod.pod}`} pod={pod} changed={changed} />
        ))}
      </tbody>
    </ScrolledTable>
  );
}

function Row({ pod, changed }: { readonly pod: Pod; readonly changed: Changed }) {
  const { attempts, first_token_ms: first, tokens_per_second: speed } = pod;
  return (
    <tr>
      <th scope="row">
        {pod.pod}
        <span class="id">
          {pod.model}, {pod.address ?? 'simulated'}
        </span>
      </th>
      <td class="reason-cell">
        <Health of={pod} />
      </td>
      <td>
        <Slots of={pod.slots} />
      </td>
      <td class="number">{first === null ? <Nothing /> : <span title={`${first} ms`}>{duration(first)}</span>}</td>
      <td class="number">{speed === null ? <Nothing /> : <Count value={speed} />}</td>
      <td class="number">
        <Count value={attempts.answered} />
      </td>
      <td class="number" title={pod.last_failure ?? 'Nothing failed.'}>
        <span class={attempts.failed > 0 ? 'fall' : ''}>
          <Count value={attempts.failed} />
        </span>
      </td>
      <td class="number" title="It answered that it has no room; the order waits on.">
        <Count value={attempts.full} />
      </td>
      {changed && (
        <td>
          <PodActions pod={pod} changed={changed} />
        </td>
      )}
    </tr>
  );
}

function Health({ of }: { readonly of: Pod }) {
  const { healthy, draining, reason, since, last_failure: failure, attempts } = of;
  return (
    <>
      <span class={healthy ? 'rise' : 'fall'}>{healthy ? 'healthy' : 'unhealthy'}</span>
      {draining && <span class="badge badge-degraded">{of.slots.busy > 0 ? 'draining' : 'drained'}</span>}
      <span class="id">
        {reason ?? 'Not heard of yet'}
        {since !== null && (
          <>
            , since <Moment ms={Date.parse(since)} />
          </>
        )}
        {failure !== null && attempts.failed > 0 && <>; last failure: {failure}</>}
      </span>
    </>
  );
}

function Slots({ of: { configured, allowed, busy, auto } }: { readonly of: Pod['slots'] }) {
  return (
    <>
      {busy} busy of {allowed}
      <meter class="use" min={0} max={Math.max(1, allowed, busy)} value={busy} aria-label="Busy slots" />
      {allowed !== configured && <span class="id">{configured} configured</span>}
      {auto && (
        <span class="id">
          auto, {auto.min} to {auto.max}
          {auto.blind && ': its metrics cannot be read'}
        </span>
      )}
    </>
  );
}

/** What the configuration says of a pod. */
const LINES = `models:
  - id: tide-70b
    pods:
      - {id: gpu-1, url: "http://10.0.0.5:8000/v1/", slots: 64}`;

function HowToAdd({ mayReload }: { readonly mayReload: boolean }) {
  return (
    <section class="panel later" aria-label="To add or remove a pod">
      <h2>To add or remove a pod, or to keep a change</h2>
      <p>
        Change <code>pods</code> of the model in <code>sluice.yaml</code> and have the file read again. No order is
        canceled: a removed pod finishes its running orders first. Drains and slots set above last until the gateway
        restarts.
      </p>
      <ScrolledCode kind="call" text={LINES} />
      {mayReload && <ReloadFile />}
    </section>
  );
}

function sheetOf(pods: readonly Pod[]) {
  const head = [
    ...[
      'model',
      'pod',
      'address',
      'healthy',
      'draining',
      'reason',
      'since',
      'slots_configured',
      'slots_allowed',
      'slots_busy',
    ],
    ...['first_token_ms', 'tokens_per_second', 'answered', 'failed', 'full', 'refused', 'aborted', 'last_failure'],
  ];
  const rows = pods.map(({ slots, attempts, ...pod }) => [
    ...[pod.model, pod.pod, pod.address, pod.healthy, pod.draining, pod.reason, pod.since],
    ...[slots.configured, slots.allowed, slots.busy, pod.first_token_ms, pod.tokens_per_second],
    ...[attempts.answered, attempts.failed, attempts.full, attempts.refused, attempts.aborted, pod.last_failure],
  ]);
  return { name: 'pods', rows: () => [head, ...rows] };
}
