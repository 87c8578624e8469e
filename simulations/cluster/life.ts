/** The life of a simulated cluster: trading under faults, and then, when all is mended, what must hold in the end. */
import type { OrderRow } from '#orders/order.ts';
import { type ClusterParts, type ClusterSize, SimulatedCluster } from './simulated-cluster.ts';
import type { Mistake } from './simulated-gateway.ts';

/** Longer than everything that waits for something: a burial, a barrier, a pause before the next dial. */
const CALM_MS = 25_000;
/** Longer than any attempt. */
const LAST_RUNS_MS = 20_000;
const ANSWERS_MS = 100;
const FILL_MS = 4_000;

/** What came of one life. */
export interface Life {
  readonly seed: number;
  readonly events: number;
  readonly commits: number;
  readonly faults: ReadonlyMap<string, number>;
  /** How often something worth knowing happened. */
  readonly happened: ReadonlyMap<string, number>;
  /** What did not hold; empty for a good one. */
  readonly broken: readonly string[];
}

/** Lives one life. */
export async function live(
  seed: number,
  size: ClusterSize,
  mistake: Mistake | null = null,
  parts: ClusterParts = {},
): Promise<Life> {
  const cluster = new SimulatedCluster(seed, size, mistake, parts);
  const { database, time } = cluster;
  const isGood = () => database.broken.length === 0;
  await cluster.trade();
  cluster.heal();
  if (isGood()) {
    await time.pass(CALM_MS);
    checkOwners(cluster);
    await checkBooks(cluster);
  }
  if (isGood()) await checkEnds(cluster);
  if (isGood()) await checkSlots(cluster);
  const { commits, happened, broken } = database;
  return { seed, events: time.fired, commits, faults: cluster.begun, happened, broken };
}

/** Every market has one owner, all agree about it, and only gateways that live are left. */
function checkOwners({ living, listings, database }: SimulatedCluster): void {
  const ids = living.map(({ id }) => id);
  for (const gateway of living) {
    const seen = gateway.view?.state.gateways.map(({ id }) => id) ?? [];
    if (seen.join() !== ids.join()) database.breaks(`${ids} live, and gateway ${gateway.id} sees ${seen}`);
  }
  for (const { id: model } of listings) {
    const owners = living.filter((gateway) => gateway.owns(model) !== null);
    const holder = database.table.holder(`market:${model}`);
    if (owners.length !== 1 || owners[0]?.id !== holder) {
      database.breaks(`${model} is owned by ${owners.map(({ id }) => id)}; its lease is held by ${holder}`);
    }
    for (const { id, exchange } of living) {
      const known = exchange.ownerOf(model);
      if (known !== holder) database.breaks(`gateway ${id} takes ${known} for the owner of ${model}, not ${holder}`);
    }
  }
}

/** Every order that waits is at its place in the book of its market, and every one that runs is at a gateway. */
async function checkBooks({ living, listings, database, time }: SimulatedCluster): Promise<void> {
  const rows = new Map(database.live.map((row) => [row.id, row]));
  for (const { id, status, bootEpoch } of rows.values()) {
    const gateway = living.find((other) => other.id === bootEpoch);
    if (!gateway) database.breaks(`${id} is ${status} at gateway ${bootEpoch}, which is gone`);
    else if (status === 'executing' && !gateway.orders.runs(id)) database.breaks(`${id} runs nowhere`);
  }
  const waiting = () => living.flatMap(({ orders }) => orders.waiting);
  const byMarket = Map.groupBy(waiting(), ({ model }) => model);
  const asked = listings.flatMap(({ id: model }, at) => {
    const ids = byMarket.get(model)?.map(({ id }) => id) ?? [];
    const places = living[at % living.length]?.exchange.positions(model, ids);
    return { ids, places };
  });
  // Shorter than any attempt: an order that began to run meanwhile does not wait again.
  await time.pass(ANSWERS_MS);
  const still = new Set(waiting().map(({ id }) => id));
  for (const { ids, places } of asked) {
    const found = (await Promise.race([places, Promise.resolve(null)])) ?? [];
    const placed = ids.map((id, index) => ({ id, place: found[index] ?? null })).filter(({ id }) => still.has(id));
    for (const { id, place } of placed) if (place === null) database.breaks(`${id} waits in no book`);
    const ranked = placed.toSorted((one, other) => (one.place ?? 0) - (other.place ?? 0)).map(({ id }) => rows.get(id));
    for (const [index, row] of ranked.entries()) {
      const next = ranked[index + 1];
      if (row && next && isBehind(row, next)) database.breaks(`${row.id} waits before ${next.id}`);
    }
  }
}

/** Whether an order belongs behind another: its bid is lower, or it rested later. The row of one that waited for money does not say when. */
function isBehind({ bid, restedSeq }: OrderRow, other: OrderRow): boolean {
  if (bid !== other.bid) return bid < other.bid;
  return restedSeq !== null && other.restedSeq !== null && restedSeq > other.restedSeq;
}

/** What waits is canceled, what runs ends, and nothing is left. */
async function checkEnds({ living, database, time }: SimulatedCluster): Promise<void> {
  for (const { orders } of living) for (const { id } of orders.waiting) orders.cancel(id);
  await time.pass(LAST_RUNS_MS);
  // Attempts that failed went back to a book.
  for (const { orders } of living) for (const { id } of orders.waiting) orders.cancel(id);
  await time.pass(LAST_RUNS_MS);
  for (const { id, status } of database.live) database.breaks(`${id} is still ${status}`);
  for (const { id, orders } of living) if (orders.size > 0) database.breaks(`gateway ${id} has ${orders.size} orders`);
}

/** Every slot can be used. */
async function checkSlots(cluster: SimulatedCluster): Promise<void> {
  const { slots, database, time } = cluster;
  cluster.busy = true;
  let all = 0;
  for (const [model, pods] of slots) {
    for (const count of pods.values()) {
      all += count;
      for (let made = 0; made < count; made++) cluster.order(model, 90e9);
    }
  }
  await time.pass(FILL_MS);
  const running = database.live.filter(({ status }) => status === 'executing').length;
  if (running !== all) database.breaks(`${running} of ${all} slots can be used`);
}
