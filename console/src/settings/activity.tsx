/** The newest orders of the account, as they move. */
import { useState } from 'preact/hooks';
import { usePolled } from '../data/polled.ts';
import { Count, Moment, Nothing, Usd } from '../parts/figures.tsx';
import { ScrolledTable } from '../parts/scrolled.tsx';
import { save } from '../parts/source.tsx';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { orderAddress } from './route.ts';
import { granted, type Schemas, settings } from './session.ts';

const EVERY_MS = 4_000;
const LIMIT = 50;
/** `working` is what is not over yet. */
const FILTERS = { all: '', working: 'queued,executing', done: 'done', 'not done': 'error,canceled,expired' } as const;

type Order = Schemas['Order'];

/** The screen at `#/activity`. */
export function ActivityView() {
  const [filter, setFilter] = useState<keyof typeof FILTERS>('all');
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const load = () => {
    const query = {
      ...{ limit: LIMIT, include: 'usage,pricing' },
      ...(FILTERS[filter] === '' ? {} : { status: FILTERS[filter] }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    return granted(settings.GET('/settings/api/orders', { params: { query } }));
  };
  const { value, failure } = usePolled(`${filter} ${cursor}`, load, EVERY_MS);
  return (
    <>
      <div class="head">
        <h1>Activity</h1>
        <span class="choices">
          <select
            aria-label="Orders"
            value={filter}
            onChange={({ currentTarget }) => {
              setCursors([]);
              setFilter(currentTarget.value as keyof typeof FILTERS);
            }}
          >
            {Object.keys(FILTERS).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          {value && (
            <button
              type="button"
              class="plain"
              onClick={() => save({ name: 'orders', rows: () => sheetOf(value.data) })}
            >
              CSV
            </button>
          )}
        </span>
      </div>
      {failure && <Failure sentence={failure} />}
      {value === null ? !failure && <Loading /> : <OrderTable orders={value.data} />}
      <p class="row">
        {cursors.length > 0 && (
          <button type="button" class="button" onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer
          </button>
        )}
        {value?.next_cursor && (
          <button type="button" class="button" onClick={() => setCursors([...cursors, value.next_cursor ?? ''])}>
            Older
          </button>
        )}
      </p>
    </>
  );
}

function OrderTable({ orders }: { readonly orders: readonly Order[] }) {
  if (orders.length === 0) return <Empty>There is no such order. Each call of a model is one.</Empty>;
  return (
    <ScrolledTable label="Orders">
      <thead>
        <tr>
          <th scope="col">Order</th>
          <th scope="col">Status</th>
          <th scope="col">Model</th>
          <th scope="col" class="number wide" title="USD per 1M input tokens at the reference mix">
            Bid
          </th>
          <th scope="col" class="number wide" title="The price charged: the lower of level and bid">
            Level
          </th>
          <th scope="col" class="number wide">
            Tokens
          </th>
          <th scope="col" class="number">
            Charge
          </th>
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
            <td class="number wide">
              <Usd value={order.bid} />
            </td>
            <td class="number wide">
              <Usd value={order.level_at_execution} />
            </td>
            <td class="number wide">
              {order.usage ? <Count value={order.usage.prompt_tokens + order.usage.output_tokens} /> : <Nothing />}
            </td>
            <td class="number">
              <Usd value={order.usage?.charged_usd ?? null} />
            </td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}

/** What became of it so far. */
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

function sheetOf(orders: readonly Order[]) {
  const head = 'id,created_at,status,model,bid,level,prompt_tokens,cached_tokens,output_tokens,charged_usd'.split(',');
  const rows = orders.map(({ id, created_at, status, model, bid, level_at_execution, usage }) => [
    ...[id, created_at, status, model, bid, level_at_execution],
    ...[usage?.prompt_tokens ?? null, usage?.cached_tokens ?? null, usage?.output_tokens ?? null],
    usage?.charged_usd ?? null,
  ]);
  return [head, ...rows];
}
