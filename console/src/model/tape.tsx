/** The last levels of a market, the newest first. */
import { useMemo } from 'preact/hooks';
import type { MarketHistory } from '#generated/types.ts';
import { markets } from '../data/live.ts';
import { askHistory } from '../data/model.ts';
import { Ago, Change, UnitPrice } from '../parts/figures.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';

const EVERY_MS = 30_000;
const SHOWN_MAX = 8;

/** Those of the last hour. The stream brings the one of now. */
export function Tape({ model }: { readonly model: string }) {
  return (
    <FiguresSection title="Last levels" asking={askHistory(model, '1h')} everyMs={EVERY_MS}>
      {(value) => <Levels value={value} />}
    </FiguresSection>
  );
}

interface Step {
  readonly atMs: number;
  readonly level: number;
  /** From the level before, in per cent; null where that was 0. */
  readonly change: number | null;
}

function Levels({ value }: { readonly value: MarketHistory }) {
  const live = markets.value.get(value.model);
  const steps = useMemo(() => stepsOf(value, live), [value, live]);
  if (steps.length === 0) return <Empty>The level has not moved in the last hour.</Empty>;
  return (
    <DataTable
      label="Levels of the last hour"
      rows={steps}
      keyOf={({ atMs }) => String(atMs)}
      columns={[
        { head: 'When', cell: ({ atMs }) => <Ago ms={atMs} /> },
        { head: 'Level', number: true, cell: ({ level }) => <UnitPrice value={level} /> },
        { head: 'Change', number: true, cell: ({ change }) => <Change pct={change} /> },
      ]}
    />
  );
}

function stepsOf(
  { points }: Pick<MarketHistory, 'points'>,
  live: { readonly level: number; readonly updated_at?: string } | undefined,
): readonly Step[] {
  const all = points.map(({ t, level }) => ({ atMs: Date.parse(t), level }));
  const liveAtMs = Date.parse(live?.updated_at ?? '');
  if (live && liveAtMs > (all.at(-1)?.atMs ?? 0)) all.push({ atMs: liveAtMs, level: live.level });
  return all
    .flatMap(({ atMs, level }, at) => {
      const before = all[at - 1]?.level;
      if (before === undefined || before === level) return [];
      return [{ atMs, level, change: before === 0 ? null : (level / before - 1) * 100 }];
    })
    .slice(-SHOWN_MAX)
    .reverse();
}
