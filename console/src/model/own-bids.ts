/** The bids of the signed-in reader that wait on a market, for its chart. */
import { useMemo } from 'preact/hooks';
import type { paths } from '#generated/console-api/types.ts';
import { useSource } from '../data/polled.ts';
import { member } from '../remembered.ts';

const EVERY_MS = 60_000;
const NONE: readonly number[] = [];

/** Each price once. Readers who are not signed in, and members of the operator, have no orders: none. */
export function useOwnBids(model: string): readonly number[] {
  const who = member.value;
  const isBuyer = who !== null && who.address === '/settings';
  const load = () => (isBuyer ? bidsOn(model) : Promise.resolve(NONE));
  const { value } = useSource(`${model} ${isBuyer}`, load, EVERY_MS).asked.value;
  const text = (value ?? NONE).join();
  // The same list while the prices are the same: the chart is not drawn again for it.
  return useMemo(() => value ?? NONE, [text]);
}

type OrderList = paths['/settings/api/orders']['get']['responses'][200]['content']['application/json'];

async function bidsOn(model: string): Promise<readonly number[]> {
  const answer = await fetch(`/settings/api/orders?${new URLSearchParams({ status: 'queued', model, limit: '100' })}`);
  // The session has ended.
  if (!answer.ok) return NONE;
  const { list } = (await answer.json()) as OrderList;
  return [...new Set(list.data.map(({ bid }) => bid))];
}
