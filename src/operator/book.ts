/** What waits and runs in a market, for the operator. */
import { priceToUsd } from '#base/money.ts';
import type { QueryOf } from '#contract/operation.ts';
import type { JsonOf, JsonReply } from '#contract/reply.ts';
import { modelNamed } from '#handlers/model-named.ts';
import type { BookSource } from '#market/book/book-view.ts';
import type { Listings } from '#market/listing.ts';

/** What it reads. */
export interface BookOptions {
  readonly listings: Listings;
  readonly books: BookSource;
}

/** The reply: of the model that the query names, or of the default model. Throws Fault unknown_model. */
export async function operatorBook(
  query: QueryOf<'getBook'>,
  { listings, books }: BookOptions,
): Promise<JsonReply<JsonOf<'getBook'>, 200>> {
  const model = modelNamed(query.model, listings) ?? listings.default.id;
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
