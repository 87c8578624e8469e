/** How the whole gateway was reached, and when it was not: from its own probes, which are real requests. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Uptime } from '#generated/types.ts';
import { placeLink, useChoice } from '../address.ts';
import { nowMs } from '../clock.ts';
import { type BoardRow, rows } from '../data/board.ts';
import { askUptime, UPTIME_RANGES, type UptimeRange } from '../data/model.ts';
import { countWhole, dayUtc, duration } from '../format.ts';
import { notMeasured, UptimeBars, uptimeSheet } from '../model/health.tsx';
import { Choice, periods } from '../parts/choice.tsx';
import { Badges, Moment, Share } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { daysOf, type Incident, incidentsOf } from './incidents.ts';

const EVERY_MS = 300_000;
const DAY_S = 86_400;
/** More models are folded. */
const OPEN_MAX = 12;
const OPEN_INCIDENTS_MAX = 3;
const NAMED_MAX = 5;

/** The screen at `#/status`. */
export function Status() {
  const [range, setRange] = useChoice('period', UPTIME_RANGES);
  const models = rows.value?.filter(({ preview, deprecated }) => !preview && !deprecated);
  return (
    <>
      <Heading title="Status">
        <Choice label="Period" options={periods(UPTIME_RANGES.toReversed())} value={range} onChoose={setRange} />
      </Heading>
      {models && <Headline models={models} />}
      <p class="faint">The gateway sends real requests to each model. What is below is what those requests met.</p>
      <div class="stack">
        <OneModel model={null} name="All models" range={range} />
        {models === undefined ? <Loading /> : <Models models={models} range={range} />}
      </div>
    </>
  );
}

/** One sentence for all of it. */
function Headline({ models }: { readonly models: readonly BoardRow[] }) {
  const down = models.filter(({ degraded }) => degraded);
  if (down.length === 0)
    return (
      <p>
        <span class="pill pill-well">All models take requests</span>
      </p>
    );
  return (
    <p>
      <span class="pill pill-warn">
        {down.length} of {models.length} models {down.length === 1 ? 'has' : 'have'} no healthy pod: orders wait
      </span>{' '}
      {down.slice(0, NAMED_MAX).map(({ model, display_name }) => (
        <a key={model} class="name" href={placeLink('model', model)}>
          {display_name}{' '}
        </a>
      ))}
    </p>
  );
}

interface ModelsProps {
  readonly models: readonly BoardRow[];
  readonly range: UptimeRange;
}

/** Of few models each is open. Each of many is a line that opens, since each is a request. */
function Models({ models, range }: ModelsProps) {
  if (models.length > OPEN_MAX) return <Many models={models} range={range} />;
  return (
    <>
      {models.map((row) => (
        <OneModel key={row.model} model={row.model} name={row.display_name} range={range}>
          <Badges of={row} />
        </OneModel>
      ))}
    </>
  );
}

/** First those that had trouble, the worst first; the others are folded into one line. */
function Many({ models, range }: ModelsProps) {
  const isTroubled = ({ degraded, uptime_pct }: BoardRow) => degraded || (uptime_pct !== null && uptime_pct < 100);
  const troubled = models
    .filter(isTroubled)
    .toSorted(
      (one, other) => Number(other.degraded) - Number(one.degraded) || (one.uptime_pct ?? 0) - (other.uptime_pct ?? 0),
    );
  const others = models.filter((row) => !isTroubled(row));
  return (
    <>
      <Lines models={troubled} range={range} />
      {others.length > 0 && (
        <details>
          <summary>
            {others.length} {troubled.length > 0 && 'other '}models without a failed probe in 24 hours
          </summary>
          <Lines models={others} range={range} />
        </details>
      )}
    </>
  );
}

function Lines({ models, range }: ModelsProps) {
  return (
    <div class="grid">
      {models.map((row) => (
        <Folded key={row.model} row={row} range={range} />
      ))}
    </div>
  );
}

function Folded({ row, range }: { readonly row: BoardRow; readonly range: UptimeRange }) {
  const [isOpen, open] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>
        {row.display_name} <Badges of={row} /> <Share pct={row.uptime_pct} /> <span class="faint">in 24 hours</span>
      </summary>
      {isOpen && <OneModel model={row.model} name={row.display_name} range={range} />}
    </details>
  );
}

interface OneModelProps {
  readonly model: string | null;
  readonly name: string;
  readonly range: UptimeRange;
  readonly children?: ComponentChildren;
}

function OneModel({ model, name, range, children }: OneModelProps) {
  return (
    <FiguresSection
      title={name}
      asking={askUptime(model, range)}
      everyMs={EVERY_MS}
      choices={children}
      sheet={(value) => uptimeSheet(`${model ?? 'all'}-uptime-${range}`, value)}
    >
      {(value) =>
        value.summary.uptime_pct === null ? <Empty>{notMeasured(value)}</Empty> : <Measured value={value} />
      }
    </FiguresSection>
  );
}

function Measured({ value }: { readonly value: Uptime }) {
  const incidents = incidentsOf(value);
  return (
    <>
      <UptimeBars value={value} />
      {incidents.length > 0 && (
        <details class="incidents" open={incidents.length <= OPEN_INCIDENTS_MAX}>
          <summary>
            {incidents.length} {incidents.length === 1 ? 'incident' : 'incidents'}
          </summary>
          <ul>
            {incidents.map((incident) => (
              <OneIncident
                key={incident.fromMs}
                incident={incident}
                goesOn={value.degraded && incident.untilMs > nowMs()}
              />
            ))}
          </ul>
          {value.bucket_seconds >= DAY_S && <p class="faint small">By days of UTC; shorter periods show the times.</p>}
        </details>
      )}
    </>
  );
}

function OneIncident({ incident, goesOn }: { readonly incident: Incident; readonly goesOn: boolean }) {
  const { fromMs, untilMs, failures, total } = incident;
  const failed = `${countWhole(failures)} of ${countWhole(total)} probes failed`;
  const end = goesOn && <strong>, and it goes on</strong>;
  const days = daysOf(incident);
  if (days)
    return (
      <li>
        {[...new Set(days)].map(dayUtc).join(' to ')}: {failed}
        {end}
      </li>
    );
  return (
    <li>
      <Moment ms={fromMs} />: {failed} within {duration(untilMs - fromMs)}
      {end}
    </li>
  );
}
