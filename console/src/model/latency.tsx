/** How long requests took: percentiles of what customers had, not of probes. */
import type { LatencyStatistics, Percentiles } from '#generated/types.ts';
import { askLatency, type LongRange, SLOW_MS } from '../data/model.ts';
import { count, duration } from '../format.ts';
import { Count, Nothing } from '../parts/figures.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';

/** Time to first token, speed, and waiting by bid. */
export function Latency({ model, range }: { readonly model: string; readonly range: LongRange }) {
  return (
    <FiguresSection
      title={`Latency, ${range}`}
      about="What 50, 95 and 99 of 100 requests had or better. Waiting is shown by how far the bid was above the level."
      asking={askLatency(model, range)}
      everyMs={SLOW_MS}
      sheet={(value) => ({ name: `${model}-latency-${range}`, rows: () => sheet(value) })}
    >
      {(value) =>
        value.wait_ms.count === 0 ? <Empty>Nothing was asked for in this time.</Empty> : <Table value={value} />
      }
    </FiguresSection>
  );
}

function Table({ value }: { readonly value: LatencyStatistics }) {
  return (
    <>
      <table class="steps">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="number">
              p50
            </th>
            <th scope="col" class="number">
              p95
            </th>
            <th scope="col" class="number">
              p99
            </th>
            <th scope="col" class="number">
              Requests
            </th>
          </tr>
        </thead>
        <tbody>
          {linesOf(value).map(([name, figures, written]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <Percentile value={figures.p50} {...{ written }} />
              <Percentile value={figures.p95} {...{ written }} />
              <Percentile value={figures.p99} {...{ written }} />
              <td class="number">
                <Count value={figures.count} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint small">Of fewer than {value.samples_min} requests no figure is shown.</p>
    </>
  );
}

type Written = (value: number) => string;
type Figures = Pick<Percentiles, 'count' | 'p50' | 'p95' | 'p99'>;

function Percentile({ value, written }: { readonly value: number | null; readonly written: Written }) {
  return <td class="number">{value === null ? <Nothing /> : <span title={String(value)}>{written(value)}</span>}</td>;
}

function linesOf(value: LatencyStatistics): readonly (readonly [string, Figures, Written])[] {
  return [
    ['To the first token', value.time_to_first_token_ms, duration],
    ['Tokens a second', value.tokens_per_second, count],
    ['Waiting', value.wait_ms, duration],
    ...value.wait_by_bid.map((group) => [bidOf(group), group, duration] as const),
  ];
}

function bidOf({ above, up_to }: { readonly above: number; readonly up_to: number | null }): string {
  if (up_to === null) return `bid over ${above} × level`;
  return above === 0 ? `bid up to ${up_to} × level` : `bid ${above} to ${up_to} × level`;
}

function sheet(value: LatencyStatistics) {
  const rows = linesOf(value).map(([name, { count, p50, p95, p99 }]) => [name, p50, p95, p99, count]);
  return [['what', 'p50', 'p95', 'p99', 'count'], ...rows];
}
