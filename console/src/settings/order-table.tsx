/** A page of orders. */
import { Count, Moment, Money, Nothing, Price } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { Empty } from '../parts/states.tsx';
import { OrderActions } from './order-actions.tsx';
import { orderAddress } from './route.ts';
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
    <ScrolledTable label="Orders">
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">Status</th>
          <th scope="col">Model</th>
          <th scope="col" class="number" title="USD per 1M input tokens at the reference mix">
            Bid
          </th>
          <th scope="col" class="number wide" title="The lower of level and bid; of an order that waits, the level now">
            Price
          </th>
          <th scope="col" class="number wide">
            Tokens
          </th>
          <th scope="col" class="number">
            Charge
          </th>
          {mayChange && (
            <th scope="col">
              <span class="hidden">What can be done</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => (
          <tr key={order.id}>
            <th scope="row">
              <a class="name" href={orderAddress(order.id)}>
                <Moment ms={Date.parse(order.created_at)} />
              </a>
              <span class="id wide">{order.id}</span>
            </th>
            <td>
              <OrderOutcome order={order} />
            </td>
            <td>{order.model}</td>
            <td class="number">
              <Price value={order.bid} />
            </td>
            <td class="number wide">
              <PriceOf of={order} levels={levels} />
            </td>
            <td class="number wide">
              {order.usage ? <Count value={order.usage.prompt_tokens + order.usage.output_tokens} /> : <Nothing />}
            </td>
            <td class="number">
              <Money value={order.usage?.charged_usd ?? null} />
            </td>
            {mayChange && (
              <td class="number">
                {order.status === 'queued' && <OrderActions order={order} onChanged={onChanged} />}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}

function PriceOf({
  of: { status, model, level_at_execution: charged },
  levels,
}: {
  readonly of: Order;
  readonly levels: ReadonlyMap<string, number>;
}) {
  if (status !== 'queued') return <Price value={charged} />;
  return (
    <span class="faint">
      now <Price value={levels.get(model) ?? null} />
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
