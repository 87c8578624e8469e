/**
 * What can be verified: signed receipts of orders, the keys, and the hash chains of a market, which have every level and
 * every quote that was published. Orders pay nothing for it: a receipt is signed when somebody asks for it.
 * docs/decisions/0054-signed-receipts.md.
 */
import type { Clock } from '#base/clock.ts';
import { Fault } from '#base/fault.ts';
import { type Reach, wholeAccount } from '#base/reach.ts';
import { iso, isoOrNull } from '#base/time.ts';
import { type AccountHandlers, type HandlersFor, handlersOf } from '#contract/call.ts';
import type { QueryOf } from '#contract/operation.ts';
import { type JsonOf, rendered } from '#contract/reply.ts';
import type { KeptPrice, PastPrices } from '#ledger/past-prices.ts';
import { type ChainedPrice, genesisHash, type PriceChain } from '#ledger/price-chain.ts';
import type { LevelClaim, ReceiptClaims } from '#ledger/receipt-claims.ts';
import type { OrderRow } from '#orders/order.ts';
import type { FindOrder, OrderSettlement } from '#orders/ports.ts';
import type { Signer } from '#signing/signer.ts';
import { conditionalReply, LEVEL_AGE_S, SharedAnswers } from './conditional.ts';
import type { MarketReading } from './market.ts';
import { orderWithin } from './operator-order.ts';

const KEYS_AGE_S = 10;

interface ReceiptsOptions {
  readonly signer: Pick<Signer, 'sign' | 'keySet'>;
  readonly findOrder: FindOrder;
  readonly prices: PastPrices;
  /** What the token of a public link opens; null for one that is malformed, unknown or revoked. */
  readonly findShared: (token: string) => Promise<{ readonly orderId: string; readonly accountId: string } | null>;
  readonly clock: Clock;
}

/** getOrderReceipt, getSharedReceipt and getSigningKeys. Malformed, unknown and foreign ids are 404; orders that are not done, 409. */
export function receiptsHandlers(
  options: ReceiptsOptions,
): AccountHandlers<'getOrderReceipt'> & HandlersFor<'getSharedReceipt' | 'getSigningKeys'> {
  const { signer, findOrder, prices, findShared, clock } = options;
  const answers = new SharedAnswers<JsonOf<'getSigningKeys'>>(clock, KEYS_AGE_S);
  const signed = async (id: string, reach: Reach): Promise<JsonOf<'getOrderReceipt'>> => {
    const { order, settlement } = await orderWithin({ id }, reach, findOrder);
    if (!settlement) throw new Fault('order_not_settled', { orderId: order.id });
    const rows = await rowsOf(order, prices);
    const { jws, claims: receipt } = await signer.sign('receipt', claimsOf(order, settlement, rows));
    return { id: order.id, object: 'order.receipt', jws, receipt };
  };
  return {
    async getOrderReceipt({ params: { id }, principal: { reach } }) {
      return { status: 200, json: await signed(id, reach) };
    },

    async getSharedReceipt({ params: { token } }) {
      const shared = await findShared(token);
      if (!shared) throw new Fault('not_found', { message: 'There is no receipt here, or its link was revoked.' });
      const json = await signed(shared.orderId, wholeAccount(shared.accountId));
      return { status: 200, json, headers: { 'cache-control': 'no-store' } };
    },

    getSigningKeys: ({ headers }) => answers.reply(headers, 'keys', () => signer.keySet()),
  };
}

type Rows = Awaited<ReturnType<typeof rowsOf>>;

/** The level and the quote that the order's price came from, as far as they are kept. */
async function rowsOf({ model, limit, levelSeq, quoteSeq = null }: OrderRow, prices: ReceiptsOptions['prices']) {
  const [level, quote] = await Promise.all([
    limit === null || levelSeq === null ? null : prices.row('levels', model, levelSeq),
    quoteSeq === null ? null : prices.row('quotes', model, quoteSeq),
  ]);
  return {
    level: level && { number: level.number, level_nano_usd: level.price, at_ms: level.atMs, ...hashesOf(level) },
    quote: quote && {
      number: quote.number,
      price_nano_usd: quote.price,
      from_ms: quote.atMs,
      until_ms: quote.untilMs ?? quote.atMs,
      ...hashesOf(quote),
    },
  };
}

function hashesOf({ previous, hash }: KeptPrice): Pick<LevelClaim, 'previous' | 'hash'> {
  return { previous, hash };
}

function claimsOf(
  order: OrderRow,
  settlement: OrderSettlement,
  { level, quote }: Rows,
): Omit<Required<ReceiptClaims>, 'iss'> {
  return {
    iat: Math.floor(settlement.atMs / 1000),
    order_id: order.id,
    kind: order.kind,
    model: order.model,
    created_at: iso(order.createdAtMs),
    admitted_at: isoOrNull(order.admittedAtMs),
    settled_at: iso(settlement.atMs),
    tariff: order.tariffId,
    level_nano_usd: settlement.price,
    bid_nano_usd: order.bid,
    prompt_tokens: settlement.promptTokens,
    cached_tokens: settlement.cachedTokens,
    output_tokens: settlement.outputTokens,
    estimated: settlement.estimated,
    charged_nano_usd: Number(settlement.charged),
    written_off_nano_usd: Number(settlement.writtenOff),
    max_charge_nano_usd: order.maxCharge == null ? null : Number(order.maxCharge),
    level_row: level,
    quote_window: quote,
  };
}

const HEAD_AGE_S = 5;

/**
 * getMarketLedger: each request reads its page, because changes in the database must show here; and
 * getMarketLedgerHead: at most one signature in five seconds for each chain.
 */
export function marketLedgerHandlers(
  parts: Omit<MarketReading, 'market'> & Pick<ReceiptsOptions, 'signer' | 'prices'>,
) {
  const { listings, prices, signer, clock } = parts;
  const heads = new SharedAnswers<JsonOf<'getMarketLedgerHead'>>(clock, HEAD_AGE_S);
  const asked = (query: QueryOf<'getMarketLedgerHead'>) => {
    const { id: model, preview } = listings.forMarket(query.model);
    return { model, preview: preview || undefined, chain: query.chain };
  };
  return handlersOf({
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
  });
}

function headClaims(chain: PriceChain, model: string, { number, hash, atMs }: ChainedPrice) {
  return { iat: Math.floor(atMs / 1000), model, chain, number, hash };
}

function rowObject(chain: PriceChain, model: string, { number, price, atMs, untilMs, previous, hash }: ChainedPrice) {
  const begins = previous === genesisHash(chain, model, number);
  return { number, price_nano_usd: price, at_ms: atMs, until_ms: untilMs, begins, previous, hash };
}
