/** The gateway at a glance, and one market as it is now. */
import { type BookOptions, operatorBook } from '#handlers/operator-book.ts';
import { type OverviewOptions, operatorOverview } from '#handlers/operator-overview.ts';
import type { MemberHandler } from '../call.ts';

/** What these handlers need. */
export interface OverviewHandlerOptions {
  readonly book: BookOptions;
  readonly overview: OverviewOptions;
}

/** getOverview and getBook. */
export function overviewHandlers({ overview, book }: OverviewHandlerOptions): {
  readonly getOverview: MemberHandler;
  readonly getBook: MemberHandler;
} {
  return {
    getOverview: () => operatorOverview(overview),
    getBook: ({ call }) => operatorBook(call.query, book),
  };
}
