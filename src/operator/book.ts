/** What waits and runs in a market, for the operator. */
import { priceToUsd } from '#base/money.ts';
import type { JsonReply } from '#contract/call.ts';
import { modelParam, type Query } from '#contract/query.ts';
import type { BookSource } from '#market/book/book-view.ts';
import type { Listings } from '#market/listing.ts';

/** What it reads. */
export interface BookOptions {
  readonly listings: Listings;
  readonly books: BookSource;
}

/** The reply: of the model that the query names, or of the default model. Throws Fault unknown_model. */
export async function operatorBook(query: Query, { listings, books }: BookOptions): Promise<JsonReply> {
  const model = modelParam(query, listings) ?? listings.default.id;
  const book = await books.book(model);
  return {
    status: 200,
    json: {
      object: 'book',
      model,
      waiting: book?.waiting ?? null,
      executing: book?.executing ?? null,
      parked: book?.parked ?? null,
      slots: book?.slots ?? null,
      bids: book?.bids.map(({ price, orders }) => ({ price: priceToUsd(price), orders })) ?? [],
      deeper: book?.deeper ?? null,
      turns: book?.turns.map(({ account, ...orders }) => ({ account_id: account, ...orders })) ?? [],
    },
  };
}
