/** A page of orders. */
import { placeLink } from '../address.ts';
import { Count, Moment, Money, Nothing, UnitPrice } from '../parts/figures.tsx';
import { Empty } from '../parts/states.tsx';
import { DataTable } from '../parts/table.tsx';
import { OrderActions } from './order-actions.tsx';
import type { Schemas } from './session.ts';

type Order = Schemas['Order'];

interface OrderTableProps {
  readonly orders: readonly Order[];
  /** The levels now, by model. */
  readonly levels: ReadonlyMap<string, number>;
  readonly mayChange: boolean;
  readonly onChanged: () => Promise<void>;
}

/** The orders in the order in which they are given. */
export function OrderTable({ orders, levels, mayChange, onChanged }: OrderTableProps) {
  if (orders.length === 0)
    return (
      <Empty>
        There is no such order. Each call of a model is one: <a href="/#/start">how to make the first</a>.
      </Empty>
    );
  return (
    <DataTable
      label="Orders"
      rows={orders}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Order', cell: (order) => <Name of={order} /> },
        { head: 'Status', cell: (order) => <OrderOutcome order={order} /> },
        { head: 'Model', cell: ({ model }) => model },
        {
          ...{ head: 'Bid', number: true, title: 'USD per 1M input tokens at the reference mix' },
          cell: ({ bid }) => <UnitPrice value={bid} />,
        },
        {
          ...{ head: 'Price', number: true, room: 'some' },
          title: 'The lower of level and bid; of an order that waits, the level now',
          cell: (order) => <PriceOf order={order} levels={levels} />,
        },
        {
          ...{ head: 'Tokens', number: true, room: 'much' },
          cell: ({ usage }) => (usage ? <Count value={usage.prompt_tokens + usage.output_tokens} /> : <Nothing />),
        },
        { head: 'Charge', number: true, cell: ({ usage }) => <Money value={usage?.charged_usd ?? null} /> },
        mayChange && {
          ...{ head: 'What can be done', unheaded: true, number: true },
          cell: (order) => order.status === 'queued' && <OrderActions order={order} onChanged={onChanged} />,
        },
      ]}
    />
  );
}

function Name({ of: { id, created_at } }: { readonly of: Order }) {
  return (
    <>
      <a class="name" href={placeLink('order', id)}>
        <Moment ms={Date.parse(created_at)} />
      </a>
      <span class="id">{id}</span>
    </>
  );
}

interface PriceOfProps {
  readonly order: Order;
  readonly levels: ReadonlyMap<string, number>;
}

function PriceOf({ order: { status, model, level_at_execution: charged }, levels }: PriceOfProps) {
  if (status !== 'queued') return <UnitPrice value={charged} />;
  return (
    <span class="faint">
      now <UnitPrice value={levels.get(model) ?? null} />
    </span>
  );
}

/** Its outcome so far. */
export function OrderOutcome({ order: { status, queue_position: place, error } }: { readonly order: Order }) {
  const color = status === 'done' ? 'rise' : status === 'error' ? 'fall' : '';
  return (
    <>
      <span class={color}>{status}</span>
      {place !== null && <span class="faint"> as no. {place}</span>}
      {error !== null && <span class="id">{error}</span>}
    </>
  );
}
