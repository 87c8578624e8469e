/**
 * Which gateway counts for a caller: the one with the highest hash of both (rendezvous hashing), so that a gateway that
 * comes or goes moves only the callers that it gets or had.
 */
import { HASH_START, hashOf } from '#base/random.ts';
import type { GatewayId } from '../messages.ts';
import type { Calls } from '../peers/calls.ts';

/** How long the home of a caller may take to answer: its request waits for it. */
const TAKE_MS = 250;

interface HomeGatewaysOptions<Taking, Grant> {
  readonly self: GatewayId;
  readonly calls: Pick<Calls, 'call' | 'handle'>;
  /** The gateways whose beats are fresh, this one included. */
  readonly living: () => readonly GatewayId[];
  /** Takes from a bucket of this gateway, for another one. */
  readonly serve: (taking: Taking) => Grant;
}

/** The homes of callers among the gateways that serve. */
export class HomeGateways<Taking, Grant> {
  readonly #options: HomeGatewaysOptions<Taking, Grant>;

  constructor(options: HomeGatewaysOptions<Taking, Grant>) {
    this.#options = options;
    options.calls.handle('rates.take', async (params) => options.serve(params as Taking));
  }

  get gateways(): number {
    return this.#options.living().length;
  }

  /** The gateway that counts for `key`; null: this one. */
  homeOf(key: string): GatewayId | null {
    let home = this.#options.self;
    let highest = -1;
    for (const id of this.#options.living()) {
      const rank = rankOf(key, id);
      if (rank < highest || (rank === highest && id < home)) continue;
      highest = rank;
      home = id;
    }
    return home === this.#options.self ? null : home;
  }

  async take(home: GatewayId, taking: Taking): Promise<Grant> {
    return (await this.#options.calls.call(home, 'rates.take', taking, TAKE_MS)) as Grant;
  }
}

/** Mixed at the end, so that ids next to each other differ everywhere. */
function rankOf(key: string, id: GatewayId): number {
  let hash = hashOf(key, HASH_START ^ id);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
