/** The gateway at a glance, and one market as it is now. */

import type { HandlersFor } from '#contract/handlers.ts';
import { type BookOptions, operatorBook } from './book.ts';
import { type OverviewOptions, operatorOverview } from './overview.ts';
import { operatorWhatIf, type WhatIfOptions } from './what-if.ts';

/** What these handlers need. */
export interface OverviewHandlerOptions {
  readonly book: BookOptions;
  readonly overview: OverviewOptions;
  readonly whatIf: WhatIfOptions;
}

/** getOverview, getBook and foretellLevel. */
export function overviewHandlers({
  overview,
  book,
  whatIf,
}: OverviewHandlerOptions): HandlersFor<'getOverview' | 'getBook' | 'foretellLevel'> {
  return {
    getOverview: () => operatorOverview(overview),
    getBook: ({ call }) => operatorBook(call.query, book),
    foretellLevel: ({ call }) => operatorWhatIf(call.query, whatIf),
  };
}
