/** How the whole gateway was reached, and when it was not: from its own probes, which are real requests. */
import type { ComponentChildren } from 'preact';
import type { Uptime } from '#generated/types.ts';
import { useChoice } from '../address.ts';
import { rows } from '../data/board.ts';
import { askUptime, UPTIME_RANGES, type UptimeRange } from '../data/model.ts';
import { duration } from '../format.ts';
import { notMeasured, UptimeBars, uptimeSheet } from '../model/health.tsx';
import { Choice } from '../parts/choice.tsx';
import { Badges, Moment } from '../parts/figures.tsx';
import { Heading } from '../parts/heading.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { type Incident, incidentsOf } from './incidents.ts';

const EVERY_MS = 300_000;

/** The screen at `#/status`. */
export function Status() {
  const [range, setRange] = useChoice('period', UPTIME_RANGES);
  const models = rows.value?.filter(({ preview, deprecated }) => !preview && !deprecated);
  return (
    <>
      <Heading title="Status">
        <Choice
          label="Period"
          options={UPTIME_RANGES.toReversed().map((name) => [name, name])}
          value={range}
          onChoose={setRange}
        />
      </Heading>
      <p class="faint">
        The gateway sends a real request to each model all the time. What is below is what those requests met.
      </p>
      <div class="stack">
        <OneModel model={null} name="All models" range={range} />
        {models === undefined ? (
          <Loading />
        ) : (
          models.map((row) => (
            <OneModel key={row.model} model={row.model} name={row.display_name} range={range}>
              <Badges of={row} />
            </OneModel>
          ))
        )}
      </div>
    </>
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
        <details class="incidents">
          <summary>
            {incidents.length} {incidents.length === 1 ? 'incident' : 'incidents'}
          </summary>
          <ul>
            {incidents.map((incident) => (
              <OneIncident key={incident.fromMs} incident={incident} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function OneIncident({ incident }: { readonly incident: Incident }) {
  const { fromMs, untilMs, failures, total } = incident;
  return (
    <li>
      <Moment ms={fromMs} />: {failures} of {total} probes failed within {duration(untilMs - fromMs)}
    </li>
  );
}
