/** How long requests took: percentiles of what customers had, not of probes. */
import type { LatencyStatistics, Percentiles } from '#generated/types.ts';
import type { BoardRow } from '../data/board.ts';
import { askLatency, type LongRange, SLOW_MS } from '../data/model.ts';
import { count, duration, rangeText } from '../format.ts';
import { Count, Nothing } from '../parts/figures.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';

/** Time to first token, speed, and waiting by bid. */
export function Latency({ row: { model, pricing }, range }: { readonly row: BoardRow; readonly range: LongRange }) {
  return (
    <FiguresSection
      title={`Latency, ${rangeText(range)}`}
      about={`What 50, 95 and 99 of 100 requests had or better.${pricing === 'market' ? ' Waiting is shown by how far the bid was above the level.' : ''}`}
      asking={askLatency(model, range)}
      everyMs={SLOW_MS}
      sheet={(value) => ({ name: `${model}-latency-${range}`, rows: () => sheet(value) })}
    >
      {(value) =>
        linesOf(value).every(([, { p50 }]) => p50 === null) ? (
          <Empty>
            There are figures once {value.samples_min} requests have ended in this period; until now fewer have.
          </Empty>
        ) : (
          <Percentages value={value} />
        )
      }
    </FiguresSection>
  );
}

function Percentages({ value }: { readonly value: LatencyStatistics }) {
  return (
    <>
      <DataTable
        label="Percentiles"
        rows={linesOf(value)}
        keyOf={([name]) => name}
        columns={[
          { head: 'What', cell: ([name]) => name },
          ...(['p50', 'p95', 'p99'] as const).map((percentile) => ({
            ...{ head: percentile, number: true },
            cell: ([, figures, written]: Line) => <Percentile value={figures[percentile]} {...{ written }} />,
          })),
          { head: 'Requests', number: true, cell: ([, figures]) => <Count value={figures.count} /> },
        ]}
      />
      <p class="faint small">
        Of fewer than {value.samples_min} requests no figure is shown. Numbers of requests are rounded down to tens.
      </p>
    </>
  );
}

type Written = (value: number) => string;
type Figures = Pick<Percentiles, 'count' | 'p50' | 'p95' | 'p99'>;
type Line = readonly [name: string, figures: Figures, written: Written];

function Percentile({ value, written }: { readonly value: number | null; readonly written: Written }) {
  return value === null ? <Nothing /> : <span title={String(value)}>{written(value)}</span>;
}

function linesOf(value: LatencyStatistics): readonly Line[] {
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
