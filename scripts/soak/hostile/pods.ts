/** The pods of a hostile soak: servers that answer well for the most part, each with its own share of misbehaviour. */
import { type Random, seededRandom } from '#base/random.ts';
import { type MockBackend, startMockBackend } from '#testing/mock-backend.ts';
import { chance, pick } from '../../harness/chance.ts';
import { count } from '../../harness/ledger.ts';
import { goodBehaviours, misbehaviours } from './misbehaviours.ts';

/** Pods that run. */
export interface HostilePods {
  /** The address of each, in the order of the shares. */
  readonly urls: readonly string[];
  /** How often each behaviour was shown. */
  readonly shown: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** How often a ping is answered with an error. */
const BAD_PING = 0.03;

/** Starts a pod for each share: the part of its answers, 0 to 1, that is misbehaviour. */
export async function startPods(shares: readonly number[], seed: number): Promise<HostilePods> {
  const shown = new Map<string, number>();
  const pods: MockBackend[] = [];
  for (const [index, share] of shares.entries()) pods.push(await startPod(share, seededRandom(seed + index), shown));
  return {
    urls: pods.map(({ url }) => url),
    shown,
    close: async () => {
      await Promise.all(pods.map((pod) => pod.close()));
    },
  };
}

function startPod(share: number, random: Random, shown: Map<string, number>): Promise<MockBackend> {
  return startMockBackend({
    record: false,
    modelsStatus: () => (chance(random, BAD_PING) ? 500 : 200),
    reply: (request) => {
      const { name, reply } = pick(random, chance(random, share) ? misbehaviours : goodBehaviours);
      count(shown, name);
      return reply(request, random);
    },
  });
}
