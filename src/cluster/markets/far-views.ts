/** Views of a market from wherever its owner is: from here, or by a question to the gateway that has the book. */

import type { MarketOdds } from '#market/estimates/odds.ts';
import type { MarketDepth } from '#market/exchange/depth.ts';
import type { MarketViews } from '#market/exchange/local-exchange.ts';
import type { Calls } from '../peers/calls.ts';
import type { ClusterExchange } from './cluster-exchange.ts';

/** How long the owner may take: it has the answer in memory. */
const ANSWER_MS = 1_000;

/** The views of every market; call once, because it also answers the others. */
export function viewsAnywhere(
  exchange: Pick<ClusterExchange, 'here' | 'ownerOf'>,
  calls: Pick<Calls, 'call' | 'handle'>,
): Pick<MarketViews, 'depth' | 'odds'> {
  /** By the name of the question. A view that the owner does not give in time is not known for the moment. */
  const view = <Seen>(name: string, seeHere: (model: string) => Promise<Seen | null> | null) => {
    calls.handle(name, async (params) => seeHere((params as { readonly model: string }).model));
    return async (model: string): Promise<Seen | null> => {
      const here = seeHere(model);
      if (here) return here;
      const owner = exchange.ownerOf(model);
      if (owner === null) return null;
      return (await calls.call(owner, name, { model }, ANSWER_MS).catch(() => null)) as Seen | null;
    };
  };
  return {
    depth: view<MarketDepth>('market.depth', (model) => exchange.here(model)?.depth(model) ?? null),
    odds: view<MarketOdds>('market.odds', (model) => exchange.here(model)?.odds(model) ?? null),
  };
}
