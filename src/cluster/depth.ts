/** The depth of a market from wherever its owner is: from here, or by a question to the gateway that has the book. */
import type { DepthSource, MarketDepth } from '#market/depth.ts';
import type { Calls } from './calls.ts';
import type { ClusterExchange } from './cluster-exchange.ts';

/** How long the owner may take: it has the answer in memory. */
const ANSWER_MS = 1_000;

/** What it needs. */
export interface FarDepthOptions {
  readonly exchange: Pick<ClusterExchange, 'here' | 'ownerOf'>;
  readonly calls: Pick<Calls, 'call' | 'handle'>;
}

/** The depth of every market; call once, because it also answers the others. */
export function depthAnywhere({ exchange, calls }: FarDepthOptions): DepthSource {
  const depthHere = (model: string) => exchange.here(model)?.depth() ?? null;
  calls.handle('market.depth', async (params) => depthHere((params as { readonly model: string }).model));
  return {
    async depth(model) {
      const here = depthHere(model);
      if (here) return here;
      const owner = exchange.ownerOf(model);
      if (owner === null) return null;
      // Not known for the moment, as places in its book are not.
      const asked = calls.call(owner, 'market.depth', { model }, ANSWER_MS).catch(() => null);
      return (await asked) as MarketDepth | null;
    },
  };
}
