/** What waits and runs in a market, for the operator. */
import { priceToUsd } from '#base/money.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { BookSource } from '#market/book/book-view.ts';
import type { Listings } from '#market/listing.ts';

/** What it reads. */
export interface BookOptions {
  readonly listings: Listings;
  readonly books: BookSource;
}

/** getBook: of the model that the query names, or of the default model. Throws Fault unknown_model. */
export function bookHandlers({ listings, books }: BookOptions): HandlersFor<'getBook'> {
  return {
    async getBook({ call: { query } }) {
      const { id: model } = listings.named(query.model) ?? listings.default;
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
    },
  };
}
