/**
 * The hash chains of a market: every level and every quote that was published, and their newest hashes, signed. A page is
 * read for each request: what changes in the database must be seen here. docs/decisions/0054-signed-receipts.md.
 */
import type { Clock } from '#base/clock.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { QueryOf } from '#contract/operation.ts';
import { type JsonOf, rendered } from '#contract/reply.ts';
import type { PastPrices } from '#ledger/past-prices.ts';
import { type ChainedPrice, genesisHash, type PriceChain } from '#ledger/price-chain.ts';
import type { Listings } from '#market/listing.ts';
import type { Signer } from '#signing/signer.ts';
import { conditionalReply, LEVEL_AGE_S } from './conditional.ts';
import { SharedAnswers } from './shared-answers.ts';

const HEAD_AGE_S = 5;

/** getMarketLedger, and getMarketLedgerHead: at most one signature in five seconds for each chain. */
export function marketLedgerHandlers({
  listings,
  prices,
  signer,
  clock,
}: {
  listings: Listings;
  prices: Pick<PastPrices, 'page' | 'numberAt' | 'lastNumber' | 'newest'>;
  signer: Pick<Signer, 'sign'>;
  clock: Clock;
}): HandlersFor<'getMarketLedger' | 'getMarketLedgerHead'> {
  const heads = new SharedAnswers<JsonOf<'getMarketLedgerHead'>>(clock, HEAD_AGE_S);
  const asked = (query: QueryOf<'getMarketLedgerHead'>) => {
    const { id: model, preview } = listings.forMarket(query.model);
    return { model, preview: preview || undefined, chain: query.chain };
  };
  return {
    async getMarketLedger({ query, headers }) {
      const { model, preview, chain } = asked(query);
      const { limit, from: fromMs } = query;
      const after =
        query.after ?? (fromMs === null ? 0 : Math.max(0, (await prices.numberAt(chain, model, fromMs)) - 1));
      const rows = await prices.page(chain, model, { after, limit: limit + 1 });
      const data = rows.slice(0, limit).map((row) => rowObject(chain, model, row));
      // Rows without a hash are not shown; a reader must learn that there is something behind them.
      const has_more = rows.length > limit || (await prices.lastNumber(chain, model)) > (rows.at(-1)?.number ?? after);
      const json = { object: 'list', model, chain, has_more, data, preview };
      return conditionalReply(headers, { raw: rendered(json), maxAgeS: LEVEL_AGE_S });
    },

    getMarketLedgerHead({ query, headers }) {
      const { model, preview, chain } = asked(query);
      return heads.reply(headers, `${chain} ${model}`, async () => {
        const newest = await prices.newest(chain, model);
        const signed = newest && (await signer.sign('head', headClaims(chain, model, newest)));
        const { claims: head = null, jws = null } = signed ?? {};
        return { object: 'market.ledger_head', model, chain, head, jws, preview };
      });
    },
  };
}

function headClaims(chain: PriceChain, model: string, { number, hash, atMs }: ChainedPrice) {
  return { iat: Math.floor(atMs / 1000), model, chain, number, hash };
}

function rowObject(chain: PriceChain, model: string, { number, price, atMs, untilMs, previous, hash }: ChainedPrice) {
  const begins = previous === genesisHash(chain, model, number);
  return { number, price_nano_usd: price, at_ms: atMs, until_ms: untilMs, begins, previous, hash };
}
