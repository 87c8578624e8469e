/**
 * Lives of simulated clusters as rows of the table of requirements: thousands of small clusters, one large one, and the
 * same small ones with a mistake planted, which must be found. 10,000 small clusters of seed 1 had 61,417 gateways
 * declared dead and 118,573 takeovers, and no invariant broke. The large one takes minutes, and 2 GB of memory.
 *
 * Real: membership, leases, adoption, owners with their exchanges, and sessions. Simulated: the clock, the network, the
 * database, chance, and orders, which rest, run, fail, are repriced and canceled, but have no money and no text.
 *
 * Faults: gateways are killed, seen or unseen, stand still and wake, join and leave. Connections are cut in one direction
 * or both, reset and slow. The database does not answer one gateway or all, also after it has committed. Clocks are up to
 * 1.5 seconds off.
 *
 * At every commit: no pod has more orders than slots. An admission has the present epoch of its market and names a level
 * that is there; attempts rise by one. An order is changed only by its own gateway, or by its adopter once that gateway was
 * declared dead; it ends once. One owner at a time writes the levels of a market, with numbers without a gap. In the end,
 * 25 seconds after the last fault: every market has one owner, whom all know; every waiting order is at its place in its
 * book; nothing of a dead gateway is left; every slot can be used.
 *
 * The planted mistakes: epochs that a commit does not compare, an owner that ignores the slots of silent gateways, an
 * adopter that begins before the gateway is declared dead, and levels sent to others before they have committed. Not shown:
 * locks in SQL, batches, real sockets, and gateways without memory; tests with real databases and processes show those.
 */
import { seededRandom } from '#base/random.ts';
import type { Requirement } from '../requirements.ts';
import { type Life, live } from './life.ts';
import type { ClusterSize } from './simulated-cluster.ts';
import { type Mistake, mistakes } from './simulated-gateway.ts';

/** The most small clusters of one seed; their own seeds follow from it. */
export const CLUSTERS_MAX = 100_000;

const LARGE: ClusterSize = {
  ...{ gateways: 100, markets: 1_000, orders: 5_000, podSlots: 4 },
  ...{ faultMs: 2_000, tradingMs: 40_000, quoteIntervalMs: 60_000 },
};

/** Rows that are found together. */
export interface ClusterGroup {
  readonly name: string;
  /** `clusters`: how many small ones there are, at most. */
  readonly run: (seed: number, clusters: number) => Promise<Requirement[]>;
}

/** All of them, in the order in which they are printed. */
export const clusterGroups: readonly ClusterGroup[] = [
  { name: 'cluster: small', run: async (seed, clusters) => [await smallClusters(seed, clusters)] },
  ...mistakes.map((mistake) => ({
    name: `cluster: planted: ${mistake}`,
    run: async (seed: number, clusters: number) => [await planted(mistake, seed, clusters)],
  })),
  { name: 'cluster: 100 gateways with 1,000 markets', run: async (seed) => [await largeCluster(seed)] },
];

/** Between three and seven gateways with two to six markets; some of them have far more faults than others. */
export function smallSize(seed: number): ClusterSize {
  const random = seededRandom(seed);
  const draw = (least: number, most: number) => least + Math.floor(random.next() * (most - least + 1));
  return {
    ...{ gateways: draw(3, 7), markets: draw(2, 6), orders: draw(30, 120), podSlots: draw(1, 3) },
    ...{ faultMs: draw(500, 4_000), tradingMs: 40_000, quoteIntervalMs: 10_000 },
  };
}

async function smallClusters(seed: number, clusters: number): Promise<Requirement> {
  const lives: Life[] = [];
  for (let index = 0; index < clusters; index++) lives.push(await small(seed, index));
  return { name: `cluster: ${clusters} small ones`, ...verdict(lives) };
}

async function largeCluster(seed: number): Promise<Requirement> {
  return { name: 'cluster: 100 gateways with 1,000 markets', ...verdict([await live(seed, LARGE)]) };
}

/** Small clusters with a mistake, until one shows it. */
async function planted(mistake: Mistake, seed: number, clusters: number): Promise<Requirement> {
  const name = `cluster: planted: ${mistake}`;
  for (let index = 0; index < clusters; index++) {
    const [what] = (await small(seed, index, mistake)).broken;
    if (what) return { name, figure: `found in cluster ${index + 1}: ${what}`, target: 'found', holds: true };
  }
  return { name, figure: `not found in ${clusters} clusters`, target: 'found', holds: false };
}

function small(seed: number, index: number, mistake: Mistake | null = null): Promise<Life> {
  const own = seed * CLUSTERS_MAX + index;
  return live(own, smallSize(own), mistake);
}

function verdict(lives: readonly Life[]): Omit<Requirement, 'name'> {
  const sum = (figure: (life: Life) => number) => lives.reduce((total, life) => total + figure(life), 0);
  const bad = lives.filter(({ broken }) => broken.length > 0);
  const figure = [
    `${sum(({ events }) => events)} events`,
    `${sum(({ commits }) => commits)} commits`,
    listed(lives.map(({ happened }) => happened)),
    `faults: ${listed(lives.map(({ faults }) => faults))}`,
    `invariants broken: ${sum(({ broken }) => broken.length)}`,
    ...bad.slice(0, 3).map(({ seed, broken }) => `life ${seed}: ${broken[0]}`),
  ];
  return { figure: figure.join('; '), target: '0 broken', holds: bad.length === 0 };
}

/** The sums of counts of the same names, in the order of the alphabet. */
function listed(counts: readonly ReadonlyMap<string, number>[]): string {
  const sums = new Map<string, number>();
  for (const map of counts) for (const [name, count] of map) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
