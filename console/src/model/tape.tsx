/** The last levels of a market, the newest first. */
import { useMemo } from 'preact/hooks';
import type { MarketHistory } from '#generated/types.ts';
import { askHistory, SLOW_MS } from '../data/model.ts';
import { Ago, Change, UnitPrice } from '../parts/figures.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import type { LevelPoint } from './since.ts';
import { useSince } from './use-since.ts';

const SHOWN_MAX = 8;

/** Those of the last hour, carried on by the stream. */
export function Tape({ model }: { readonly model: string }) {
  return (
    <FiguresSection title="Last levels" asking={askHistory(model, '1h')} everyMs={SLOW_MS}>
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
  const since = useSince(value);
  const steps = useMemo(() => stepsOf([...value.points, ...since]), [value, since]);
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

function stepsOf(levels: readonly LevelPoint[]): readonly Step[] {
  return levels
    .flatMap(({ t, level }, at) => {
      const before = levels[at - 1]?.level;
      if (before === undefined || before === level) return [];
      return [{ atMs: Date.parse(t), level, change: before === 0 ? null : (level / before - 1) * 100 }];
    })
    .slice(-SHOWN_MAX)
    .reverse();
}
