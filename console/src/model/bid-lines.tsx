/**
 * The reader's own waiting bids over the chart, as lines to drag. Each is a slider: the pointer or the arrow keys move its
 * limit, and nothing is sent before the reader has said yes once. Escape takes the move back.
 */
import { useRef, useState } from 'preact/hooks';
import type { PriceScale } from '../charts/market-drawing.ts';
import { sentenceOf } from '../data/polled.ts';
import { priceText } from '../format.ts';
import { say } from '../parts/toast.tsx';
import type { OwnBids } from './own-bids.ts';
import type { OwnBid } from './rungs.ts';

/** More would hide the chart. The ladder has all. */
const LINES_MAX = 20;
/** Lanes are for handles that would lie over each other; a shorter way is a click. */
const HANDLE_PX = { height: 24, width: 150, lanes: 4, still: 3 };
const DIGITS = 3;
/** What a key multiplies the limit by. */
const STEPS: Readonly<Record<string, number>> = {
  ...{ ArrowUp: 1.01, ArrowRight: 1.01, PageUp: 1.1 },
  ...{ ArrowDown: 0.99, ArrowLeft: 0.99, PageDown: 0.9 },
};
/** From nothing no step leads upwards. */
const PRICE_MIN = 0.0001;
const PRICE_MAX = 1e9;

interface BidLinesProps {
  readonly own: OwnBids;
  readonly scale: PriceScale;
}

/** A bid on its way to another limit. */
interface Move {
  readonly ids: readonly string[];
  readonly from: number;
  readonly to: number;
  /** Whether it is in the reader's hand. */
  readonly isHeld: boolean;
}

/** The lines, and the question once one was moved. */
export function BidLines({ own: { bids, reprice }, scale }: BidLinesProps) {
  const [move, set] = useState<Move | null>(null);
  const [isBusy, setBusy] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const isMoved = (bid: OwnBid) => move !== null && move.ids.join() === bid.ids.join();
  // It may have started meanwhile.
  const moved = move && bids.some(isMoved) ? move : null;
  const shown = bids.slice(0, LINES_MAX);
  const lanes = lanesOf(shown.map(({ price }) => heightOf(price, scale)));
  const takeBack = () => {
    if (isBusy) return;
    set(null);
    place.current?.querySelector<HTMLElement>(`[data-order="${moved?.ids[0]}"]`)?.focus();
  };
  const send = async ({ ids, to }: Move) => {
    setBusy(true);
    try {
      await reprice(ids, to);
      say(`${orders(ids.length)} now ${ids.length === 1 ? 'has' : 'have'} the limit ${priceText(to)}.`);
    } catch (error) {
      say(sentenceOf(error), 'wrong');
    } finally {
      set(null);
      setBusy(false);
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the sliders and buttons inside.
    <div
      class="bid-lines"
      ref={place}
      style={{ right: `${scale.axisWidth}px`, height: `${scale.height}px` }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') takeBack();
      }}
    >
      {shown.map((bid, at) => (
        <BidLine
          key={bid.ids[0]}
          bid={bid}
          price={isMoved(bid) ? (moved?.to ?? bid.price) : bid.price}
          lane={lanes[at] ?? 0}
          scale={scale}
          onMove={(to, isHeld) => !isBusy && set({ ids: bid.ids, from: bid.price, to, isHeld })}
          onDone={() => place.current?.querySelector<HTMLElement>('.bid-question button')?.focus()}
        />
      ))}
      {moved && !moved.isHeld && moved.from !== moved.to && (
        <fieldset class="bid-question panel" aria-busy={isBusy}>
          <legend class="hidden">Reprice</legend>
          <span>
            Limit of {orders(moved.ids.length)}: {priceText(moved.from)} → <b>{priceText(moved.to)}</b>
          </span>
          <button type="button" class="primary" onClick={() => void send(moved)}>
            Reprice
          </button>
          <button type="button" onClick={takeBack}>
            Leave it
          </button>
        </fieldset>
      )}
    </div>
  );
}

interface BidLineProps {
  readonly bid: OwnBid;
  /** Where it is now. */
  readonly price: number;
  /** How far to the right its handle is, so that it covers no other. */
  readonly lane: number;
  readonly scale: PriceScale;
  readonly onMove: (to: number, isHeld: boolean) => void;
  /** The reader has pressed Enter. */
  readonly onDone: () => void;
}

/** The pointer and the line where the drag began. */
interface Drag {
  readonly fromY: number;
  readonly lineY: number;
  isMoved: boolean;
}

function BidLine({ bid, price, lane, scale, onMove, onDone }: BidLineProps) {
  const { ids, isFixed } = bid;
  const drag = useRef<Drag | null>(null);
  const y = heightOf(price, scale);
  const text = `${priceText(price)}${ids.length > 1 ? ` · ${ids.length}` : ''}`;
  const place = { left: `${lane * HANDLE_PX.width}px` };
  const follow = ({ clientY }: PointerEvent, isHeld: boolean) => {
    const held = drag.current;
    if (!held) return;
    held.isMoved ||= Math.abs(clientY - held.fromY) >= HANDLE_PX.still;
    if (held.isMoved) onMove(rounded(scale.priceAt(clientY - held.fromY + held.lineY)), isHeld);
    if (!isHeld) drag.current = null;
  };
  const press = (event: KeyboardEvent) => {
    const factor = STEPS[event.key];
    if (event.key === 'Escape') drag.current = null;
    if (event.key === 'Enter') onDone();
    else if (factor !== undefined) onMove(rounded(Math.max(price, PRICE_MIN) * factor), false);
    else return;
    event.preventDefault();
  };
  return (
    <div class="bid-line" style={{ top: `${y}px` }}>
      {isFixed ? (
        <span class="bid-handle" style={place}>
          Your bid {text}
        </span>
      ) : (
        <span
          class="bid-handle"
          style={place}
          role="slider"
          tabIndex={0}
          data-order={ids[0]}
          aria-label={`Limit of ${orders(ids.length)} that wait`}
          aria-orientation="vertical"
          aria-valuemin={0}
          aria-valuemax={PRICE_MAX}
          aria-valuenow={price}
          aria-valuetext={priceText(price)}
          title="Drag it, or press the arrow keys and then Enter. Escape takes it back."
          onKeyDown={press}
          onPointerDown={({ currentTarget, clientY, pointerId }) => {
            drag.current = { fromY: clientY, lineY: y, isMoved: false };
            currentTarget.setPointerCapture(pointerId);
          }}
          onPointerMove={(event) => follow(event, true)}
          onPointerUp={(event) => follow(event, false)}
          onPointerCancel={() => {
            drag.current = null;
            onMove(bid.price, false);
          }}
        >
          Your bid {text}
        </span>
      )}
    </div>
  );
}

/** A bid that is outside the chart is at its edge. */
function heightOf(price: number, { yOf, height }: PriceScale): number {
  return Math.min(Math.max(yOf(price), 0), height);
}

/** Three digits: finer than a line can be drawn. */
function rounded(price: number): number {
  return Number(Math.min(Math.max(price, 0), PRICE_MAX).toPrecision(DIGITS));
}

/** Handles from the top: each one that is close below another is beside it. */
function lanesOf(heights: readonly number[]): readonly number[] {
  let lane = 0;
  return heights.map((y, at) => {
    const before = heights[at - 1];
    lane = before !== undefined && y - before < HANDLE_PX.height ? (lane + 1) % HANDLE_PX.lanes : 0;
    return lane;
  });
}

function orders(count: number): string {
  return `${count} ${count === 1 ? 'order' : 'orders'}`;
}
