/**
 * The pods: whether each gets orders and why, its slots, how fast it answers, what failed, and what can be changed. Of many
 * models only those with a pod in trouble are unfolded at first.
 */
import { useEffect, useState } from 'preact/hooks';
import { useText } from '../address.ts';
import { askUptime } from '../data/model.ts';
import { useSource } from '../data/polled.ts';
import { duration } from '../format.ts';
import { UptimeBars } from '../model/health.tsx';
import { Choice } from '../parts/choice.tsx';
import { Count, Moment, Nothing } from '../parts/figures.tsx';
import { ScrolledCode } from '../parts/scrolled.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { granted, type Schemas, settings } from '../settings/session.ts';
import { AddPod } from './add-pod.tsx';
import { FiguresPage } from './figures-page.tsx';
import type { PageProps } from './page.ts';
import { PAST_EVERY_MS, PAST_RANGES, type PastRange, RANGE_CHOICES, useRange } from './past.ts';
import { PodActions } from './pod-actions.tsx';
import { PodStrip, StripKey } from './pod-strip.tsx';
import { ReloadFile } from './reload-file.tsx';

const EVERY_MS = 4_000;
const STRIP_EVERY_MS = 60_000;
const PATH = '/console/api/pods';
const PAST_PATH = '/console/api/pod-history';

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
          {data.filter(({ state }) => state === 'healthy').length} of {data.length} get orders
        </span>
      )}
      below={() => <HowToAdd mayReload={role === 'operator'} />}
    >
      {({ data }, again) =>
        data.length === 0 ? (
          <Empty>The configuration has no pods: nothing can run.</Empty>
        ) : (
          <Models pods={data} changed={role === 'operator' ? again : null} />
        )
      }
    </FiguresPage>
  );
}

/** Null for those who may only look. */
type Changed = (() => Promise<void>) | null;

/** Of more models than these each is folded, and those in trouble come first. */
const UNFOLDED_MAX = 12;

const isTroubled = (pods: readonly Pod[]) => pods.some(({ state }) => state !== 'healthy');

/** The pods of each model, in the order of the configuration. */
function Models({ pods, changed }: { readonly pods: readonly Pod[]; readonly changed: Changed }) {
  const groups = [...Map.groupBy(pods, ({ model }) => model)];
  const areMany = groups.length > UNFOLDED_MAX;
  const [search, write] = useText('search');
  const sought = search.trim().toLowerCase();
  const found = areMany
    ? groups
        .filter(([, own]) => own.some((one) => isNamed(one, sought)))
        .sort(([, one], [, other]) => Number(isTroubled(other)) - Number(isTroubled(one)))
    : groups;
  const [range, choose] = useRange();
  const load = () => granted(settings.GET(PAST_PATH, { params: { query: { range } } }));
  const { value: past } = useSource(range, load, PAST_EVERY_MS).asked.value;
  return (
    <>
      <div class="row">
        {areMany && (
          <input
            type="search"
            aria-label="Search models and pods"
            placeholder="Search models and pods"
            value={search}
            onInput={({ currentTarget }) => write(currentTarget.value)}
          />
        )}
        <Choice label="Period of the strips" options={RANGE_CHOICES} value={range} onChoose={choose} />
        <StripKey />
      </div>
      {changed && <AddPod models={groups.map(([model]) => model)} changed={changed} />}
      <div class="folds">
        {found.map(([model, own]) => (
          <Model key={model} pods={own} isFolded={found.length > UNFOLDED_MAX} {...{ model, changed, past }} />
        ))}
      </div>
      {found.length === 0 && <Empty>No model or pod has such a name.</Empty>}
    </>
  );
}

function isNamed({ model, pod }: Pod, sought: string): boolean {
  return model.toLowerCase().includes(sought) || pod.toLowerCase().includes(sought);
}

interface ModelProps extends PodTableProps {
  readonly model: string;
  /** Whether it is folded at first, unless a pod is in trouble; of few models none is. */
  readonly isFolded: boolean;
}

/** A model unfolds when one of its pods gets into trouble. Only what is unfolded is asked for. */
function Model({ model, isFolded, ...table }: ModelProps) {
  const troubled = isTroubled(table.pods);
  const [isOpen, open] = useState(troubled || !isFolded);
  useEffect(() => {
    if (troubled || !isFolded) open(true);
  }, [troubled, isFolded]);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>
        <h2 class="fold-name">{model}</h2>
        <States of={table.pods} />
      </summary>
      {isOpen && (
        <>
          <ProbeStrip model={model} />
          <PodTable {...table} />
        </>
      )}
    </details>
  );
}

/** How many pods are in each of the three states. */
function States({ of }: { readonly of: readonly Pod[] }) {
  const healthy = of.filter(({ state }) => state === 'healthy').length;
  const down = of.filter(({ state }) => state === 'unhealthy').length;
  const kept = of.length - healthy - down;
  return (
    <span class="choices small">
      <span class="rise">{healthy} healthy</span>
      {down > 0 && <span class="fall">{down} unhealthy</span>}
      {kept > 0 && <span class="warn">{kept} drained by an operator</span>}
    </span>
  );
}

/** The probes of the last day; nothing where the model is not probed. */
function ProbeStrip({ model }: { readonly model: string }) {
  const { path, ask } = askUptime(model, '24h');
  const { value } = useSource(path, ask, STRIP_EVERY_MS).asked.value;
  return value === null || value.summary.uptime_pct === null ? null : <UptimeBars value={value} />;
}

interface PodTableProps {
  readonly pods: readonly Pod[];
  readonly changed: Changed;
  /** Null before it is known. */
  readonly past: Schemas['PodHistory'] | null;
}

function PodTable({ pods, changed, past }: PodTableProps) {
  const pastOf = new Map(past?.data.map((one) => [one.pod, one]));
  return (
    <DataTable
      label={`Pods of ${pods[0]?.model ?? ''}`}
      rows={pods}
      keyOf={({ model, pod }) => `${model} ${pod}`}
      columns={[
        { head: 'Pod', cell: (pod) => <Name of={pod} /> },
        { head: 'Health', cell: (pod) => <Standing of={pod} /> },
        {
          head: past ? `The last ${PAST_RANGES[past.range as PastRange] ?? ''}` : 'Before',
          cell: ({ pod }) => {
            const own = pastOf.get(pod);
            return own && past ? <PodStrip pod={own} bins={past} /> : <Nothing />;
          },
        },
        { head: 'Slots', cell: ({ slots }) => <Slots of={slots} /> },
        {
          ...{ head: 'First token', number: true, room: 'much' },
          cell: ({ first_token_ms: ms }) =>
            ms === null ? <Nothing /> : <span title={`${ms} ms`}>{duration(ms)}</span>,
        },
        {
          ...{ head: 'Tokens a second', number: true, room: 'much' },
          cell: ({ tokens_per_second: speed }) => (speed === null ? <Nothing /> : <Count value={speed} />),
        },
        {
          ...{ head: 'Answered', number: true, room: 'some' },
          cell: ({ attempts: { answered } }) => <Count value={answered} />,
        },
        {
          ...{ head: 'Failed', number: true, room: 'some' },
          cell: ({ attempts: { failed }, last_failure }) => (
            <span class={failed > 0 ? 'fall' : ''} title={last_failure ?? 'Nothing failed.'}>
              <Count value={failed} />
            </span>
          ),
        },
        {
          ...{ head: 'No room', number: true, room: 'much', title: 'It answered so; the order waits on.' },
          cell: ({ attempts: { full } }) => <Count value={full} />,
        },
        changed !== null && {
          ...{ head: 'Changes', unheaded: true, number: true },
          cell: (pod) => <PodActions pod={pod} changed={changed} />,
        },
      ]}
    />
  );
}

function Name({ of: { pod, address, added } }: { readonly of: Pod }) {
  return (
    <>
      {pod}
      <span class="id">
        {address ?? 'simulated'}
        {added && ', added here'}
      </span>
    </>
  );
}

const COLORS: Readonly<Record<string, string>> = { healthy: 'rise', unhealthy: 'fall' };

/** One word for whether it gets orders; what its pings say is below, also of one that is drained. */
function Standing({ of }: { readonly of: Pod }) {
  const { state, reason, since, draining_since: drainingSince, last_failure: failure, attempts } = of;
  return (
    <>
      <strong class={COLORS[state] ?? 'warn'}>{state}</strong>
      {drainingSince !== null && (
        <span class="id">
          by an operator, since <Moment ms={Date.parse(drainingSince)} />
        </span>
      )}
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
    <section class="panel later" aria-label="What the file says">
      <h2>What the file says</h2>
      <p>
        Change <code>pods</code> of the model in <code>sluice.yaml</code> and have the file read again. No order is
        canceled: a removed pod finishes its running orders first. Drains and slots set above last until the gateway
        restarts; pods added above stay.
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
      'state',
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
    ...[pod.model, pod.pod, pod.address, pod.state, pod.healthy, pod.draining, pod.reason, pod.since],
    ...[slots.configured, slots.allowed, slots.busy, pod.first_token_ms, pod.tokens_per_second],
    ...[attempts.answered, attempts.failed, attempts.full, attempts.refused, attempts.aborted, pod.last_failure],
  ]);
  return { name: 'pods', rows: () => [head, ...rows] };
}
