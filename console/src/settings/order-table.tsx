/** A page of orders, each with how it ran. */
import { placeLink } from '../address.ts';
import { count, duration } from '../format.ts';
import { Moment, Money, Nothing, UnitPrice } from '../parts/figures.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { OrderActions } from './order-actions.tsx';
import type { Schemas } from './session.ts';

type Order = Schemas['Order'];

/** An order, and how it ran. */
export interface OrderAndRun {
  readonly order: Order;
  readonly run: Schemas['OrderRun'];
}

interface OrderTableProps {
  readonly rows: readonly OrderAndRun[];
  /** The levels now, by model. */
  readonly levels: ReadonlyMap<string, number>;
  readonly mayChange: boolean;
  /** What opens an order; without it, its screen. */
  readonly onOpen?: (id: string) => void;
  readonly onChanged: () => Promise<void>;
}

/** The orders in the order in which they are given. */
export function OrderTable({ rows, levels, mayChange, onOpen, onChanged }: OrderTableProps) {
  if (rows.length === 0)
    return (
      <Empty>
        There is no order here yet. Each call of a model is one: <a href="/#/start">how to make the first</a>.
      </Empty>
    );
  return (
    <DataTable
      label="Orders"
      rows={rows}
      keyOf={({ order: { id } }) => id}
      columns={[
        { head: 'Sent', cell: ({ order }) => <Name of={order} {...(onOpen ? { onOpen } : {})} /> },
        { head: 'Status', cell: ({ order }) => <OrderOutcome order={order} /> },
        { head: 'Model', cell: ({ order: { model } }) => <span class="unbroken">{model}</span> },
        { head: 'Key', room: 'some', cell: ({ run }) => run.key_name ?? run.key_id ?? <Nothing /> },
        rows.some(({ order }) => order.tags) && {
          ...{ head: 'Tags', room: 'some' },
          cell: ({ order }) => order.tags?.join(', ') ?? <Nothing />,
        },
        {
          head: 'Wait',
          number: true,
          title: 'Until it was admitted',
          cell: ({ order }) => <Span ms={waitMs(order)} />,
        },
        {
          ...{ head: 'First token', number: true, room: 'much', title: 'After it was admitted' },
          cell: (row) => <Span ms={firstTokenMs(row)} />,
        },
        {
          ...{ head: 'Tokens/s', number: true, room: 'much', title: 'From the first token to the last' },
          cell: (row) => paceText(row) ?? <Nothing />,
        },
        {
          ...{ head: 'Price', number: true },
          title:
            'The lower of level and bid; of an order that waits, the level now. USD per 1M input tokens at the reference mix',
          cell: ({ order }) => <PriceOf order={order} levels={levels} />,
        },
        { head: 'Charge', number: true, cell: ({ run }) => <Money value={run.charged_usd} /> },
        {
          ...{ head: 'Saved', number: true, room: 'much', title: 'Against what its bid would have cost' },
          cell: (row) => <Money value={savedUsd(row)} />,
        },
        mayChange && {
          ...{ head: 'What can be done', unheaded: true, number: true },
          cell: ({ order }) => order.status === 'queued' && <OrderActions order={order} onChanged={onChanged} />,
        },
      ]}
    />
  );
}

function Name({ of: { id, created_at }, onOpen }: { readonly of: Order; readonly onOpen?: (id: string) => void }) {
  return (
    <>
      <a
        class="name"
        href={placeLink('order', id)}
        onClick={(event) => {
          // Another tab shows the screen.
          if (!onOpen || event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          onOpen(id);
        }}
      >
        <Moment ms={Date.parse(created_at)} />
      </a>
      <span class="id cut" title={id}>
        {id}
      </span>
    </>
  );
}

function Span({ ms }: { readonly ms: number | null }) {
  return ms === null ? <Nothing /> : duration(ms);
}

function waitMs({ created_at, admitted_at }: Order): number | null {
  return admitted_at === null ? null : between(created_at, admitted_at);
}

function firstTokenMs({ order: { admitted_at }, run: { first_token_at } }: OrderAndRun): number | null {
  return admitted_at === null || first_token_at === null ? null : between(admitted_at, first_token_at);
}

/** Of an answer of one token there is no pace. */
function paceText({ order: { finished_at, usage }, run: { first_token_at } }: OrderAndRun): string | null {
  if (finished_at === null || first_token_at === null || !usage || usage.output_tokens < 2) return null;
  const ms = between(first_token_at, finished_at);
  return ms === 0 ? null : count((1000 * (usage.output_tokens - 1)) / ms);
}

/** In whole nano-dollars: a difference of fractions is none. Nobody bids at a fixed price. */
function savedUsd({ order: { pricing }, run: { charged_usd, at_bid_usd } }: OrderAndRun): number | null {
  if (charged_usd === null || at_bid_usd === null || pricing === 'fixed') return null;
  return Math.max(0, Math.round(at_bid_usd * 1e9) - Math.round(charged_usd * 1e9)) / 1e9;
}

/** A clock that was set back counts as no time. */
function between(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

interface PriceOfProps {
  readonly order: Order;
  readonly levels: ReadonlyMap<string, number>;
}

function PriceOf({ order, levels }: PriceOfProps) {
  const { status, model, pricing, bid, level_at_execution: charged } = order;
  if (pricing === 'fixed')
    return (
      <>
        <UnitPrice value={bid} />
        <span class="id">fixed</span>
      </>
    );
  return (
    <>
      {status === 'queued' ? (
        levels.has(model) && (
          <span class="faint">
            now <UnitPrice value={levels.get(model) ?? null} />
          </span>
        )
      ) : (
        <UnitPrice value={charged} />
      )}
      <span class="id">
        bid <UnitPrice value={bid} />
      </span>
    </>
  );
}

/** Its outcome so far. */
export function OrderOutcome({ order: { status, queue_position: place, error } }: { readonly order: Order }) {
  const color = status === 'done' ? 'rise' : status === 'error' ? 'fall' : '';
  return (
    <>
      <span class={color}>{status}</span>
      {place !== null && <span class="faint">{` as no.\u00a0${place}`}</span>}
      {error !== null && <span class="id">{error}</span>}
    </>
  );
}
