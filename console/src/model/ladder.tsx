/** The depth of a market as a ladder: what waits at which bid, where the level is, and where the reader's own bids stand. */
import { useMemo } from 'preact/hooks';
import type { MarketDepth } from '#generated/types.ts';
import { askDepth } from '../data/model.ts';
import { countWhole } from '../format.ts';
import { Moment, Stick, UnitPrice } from '../parts/figures.tsx';
import { FiguresSection } from '../parts/section.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { type OwnBid, type Rung, rungsOf } from './rungs.ts';

const DEPTH_MS = 300_000;

interface LadderProps {
  readonly model: string;
  readonly level: number | null;
  /** The reader's own. */
  readonly bids: readonly OwnBid[];
}

/** What waits at which bid. */
export function LadderSection({ model, level, bids }: LadderProps) {
  return (
    <FiguresSection
      title="Depth"
      about="Orders that wait, by bid. A step is shown once enough accounts are in it, and one window late. Your own are of now."
      asking={askDepth(model)}
      everyMs={DEPTH_MS}
      sheet={({ steps }) => ({
        name: `${model}-depth`,
        rows: () => [['price', 'orders'], ...steps.map(({ price, orders }) => [price, orders])],
      })}
    >
      {(value) => <Book value={value} level={level} bids={bids} />}
    </FiguresSection>
  );
}

interface BookProps extends Omit<LadderProps, 'model'> {
  readonly value: MarketDepth;
}

function Book({ value: { steps, taken_at, slots, busy_slots }, level, bids }: BookProps) {
  const rungs = useMemo(() => rungsOf(steps, level, bids), [steps, level, bids]);
  const isKnown = taken_at !== null && slots !== null && busy_slots !== null;
  const isEmpty = steps.length === 0 && bids.length === 0;
  return (
    <>
      {isKnown && (
        <p class="small">
          {countWhole(busy_slots)} of {countWhole(slots)} slots busy, at <Moment ms={Date.parse(taken_at)} />
        </p>
      )}
      {isEmpty ? (
        <Empty>
          {isKnown ? 'No orders wait that may be shown: too few, or of too few accounts.' : 'Not known yet.'}
        </Empty>
      ) : (
        <Ladder rungs={rungs} hasOwn={bids.length > 0} />
      )}
    </>
  );
}

function Ladder({ rungs, hasOwn }: { readonly rungs: readonly Rung[]; readonly hasOwn: boolean }) {
  const most = Math.max(...rungs.map(({ orders }) => orders ?? 0));
  return (
    <DataTable
      label="Waiting bids"
      rows={rungs}
      keyOf={({ kind, price }) => `${kind} ${price}`}
      classOf={({ kind, own }) => `rung ${kind === 'level' ? 'rung-level' : own > 0 ? 'rung-own' : ''}`}
      columns={[
        { head: 'Bid from', number: true, cell: ({ price }) => <UnitPrice value={price} /> },
        {
          head: 'Orders',
          cell: ({ kind, orders }) =>
            kind === 'level' ? 'the level now' : orders !== null && <Size orders={orders} share={orders / most} />,
        },
        hasOwn && { head: 'Yours', number: true, cell: (rung) => rung.own > 0 && <Own of={rung} /> },
      ]}
    />
  );
}

function Size({ orders, share }: { readonly orders: number; readonly share: number }) {
  return (
    <span class="size">
      <Stick share={share} />
      <span>{countWhole(orders)}</span>
    </span>
  );
}

/** How many, and how many of the orders that are shown bid more. */
function Own({ of: { own, ahead } }: { readonly of: Rung }) {
  return (
    <>
      <span class="pill pill-info">{countWhole(own)}</span>
      {ahead > 0 && <span class="id">{countWhole(ahead)} ahead</span>}
    </>
  );
}
