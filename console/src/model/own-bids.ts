/** The bids of the signed-in reader that wait on a market, and another limit for them. */
import { useMemo } from 'preact/hooks';
import { useSource } from '../data/polled.ts';
import { member } from '../remembered.ts';
import { granted, loadSession, type Schemas, session, settings } from '../settings/session.ts';
import type { OwnBid } from './rungs.ts';

const EVERY_MS = 60_000;
const ORDERS_MAX = 100;
/** As many as one request may reprice. */
const REPRICED_MAX = 20;
const NONE: readonly OwnBid[] = [];

/** The bids on one market. */
export interface OwnBids {
  /** The highest first; the same list while they are the same. */
  readonly bids: readonly OwnBid[];
  /** Sets the limit of these orders. Rejects with the reason where one of them keeps its limit. */
  readonly reprice: (ids: readonly string[], limit: number) => Promise<void>;
}

/** Those of the newest hundred orders. Readers who are not signed in, and members of the operator, have none. */
export function useOwnBids(model: string): OwnBids {
  const who = member.value;
  const isBuyer = who !== null && who.address === '/settings';
  const load = () => (isBuyer ? bidsOn(model) : Promise.resolve(NONE));
  const source = useSource(`${model} ${isBuyer}`, load, EVERY_MS);
  const { value } = source.asked.value;
  // The chart is not drawn again while they are the same.
  const bids = useMemo(() => value ?? NONE, [JSON.stringify(value)]);
  const reprice = async (ids: readonly string[], limit: number) => {
    try {
      await repriced(ids, limit);
    } finally {
      await source.again();
    }
  };
  return { bids, reprice };
}

async function bidsOn(model: string): Promise<readonly OwnBid[]> {
  if (session.value === undefined) await loadSession();
  const who = session.value;
  if (!who) return NONE;
  const query = { status: 'queued', model, limit: ORDERS_MAX };
  const { list } = await granted(settings.GET('/settings/api/orders', { params: { query } }));
  const isFixed = ({ price_lock }: Schemas['Order']) => price_lock === true || who.role === 'viewer';
  const groups = Map.groupBy(list.data, (order) => `${order.bid} ${isFixed(order)}`);
  return [...groups.values()]
    .flatMap((orders) => {
      const [first] = orders;
      return first ? [{ price: first.bid, ids: orders.map(({ id }) => id), isFixed: isFixed(first) }] : [];
    })
    .toSorted((one, other) => other.price - one.price);
}

async function repriced(ids: readonly string[], limit: number): Promise<void> {
  for (let from = 0; from < ids.length; from += REPRICED_MAX) {
    const body = { ids: ids.slice(from, from + REPRICED_MAX), price_limit: limit };
    const { data } = await granted(settings.POST('/settings/api/orders/price', { body }));
    const refused = data.find(({ changed }) => !changed);
    if (refused) throw new Error(refused.reason ?? 'An order keeps its limit.');
  }
}
