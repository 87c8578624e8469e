/** What the operator's console adds to the settings; loaded with them. */
import { readFile } from 'node:fs/promises';
import { loadConfig } from '#config/config.ts';
import type { BookOptions } from '#operator/book.ts';
import type { OperatorParts } from '#operator/handlers.ts';
import type { OverviewOptions } from '#operator/overview.ts';
import type { WhatIfOptions } from '#operator/what-if.ts';
import { fileState, shownSettings } from './configuration.ts';
import type { BuiltStorage, Outside } from './storage.ts';

/** What is there already, in the gateway. */
export type OperatorBuilt = Pick<
  OperatorParts,
  'pods' | 'podControl' | 'reload' | 'authenticator' | 'listOrders' | 'startedAtMs' | 'clock' | 'audits'
> &
  Pick<OverviewOptions, 'board' | 'ready' | 'orderService' | 'pods' | 'journal' | 'disk' | 'startedAtMs' | 'counts'> &
  Pick<BookOptions & WhatIfOptions, 'books'>;

/** Builds the rest. */
export async function operatorParts(
  parts: OperatorBuilt & Pick<Outside & BuiltStorage, 'config' | 'readConfig' | 'db' | 'clock' | 'ids'>,
) {
  const { config, readConfig = loadConfig, db } = parts;
  const [
    { createOperatorAccounts },
    { createOperatorOrders },
    { createChangeNotes, newestChanges },
    { createTokenStore },
    { createAccountBooks },
    { createAllTransfers },
    { findRequestLog },
    { WhatIfThread },
  ] = await Promise.all([
    import('#accounts/account/operator-accounts.ts'),
    import('#storage/orders/operator-orders.ts'),
    import('#accounts/change-log.ts'),
    import('#storage/statistics/model-tokens.ts'),
    import('#accounts/ledger/books.ts'),
    import('#accounts/ledger/all-transfers.ts'),
    import('#storage/orders/request-logs.ts'),
    import('#operator/what-if-thread.ts'),
  ]);
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const thread = new WhatIfThread();
  return {
    operatorAccounts: createOperatorAccounts(parts),
    operatorOrders: createOperatorOrders(db),
    changeNotes: createChangeNotes(parts),
    auditLog: { list: (accountId, page) => newestChanges(db, { accountId, ...page }) },
    version,
    accountBooks: createAccountBooks(parts),
    transfers: createAllTransfers(db),
    requests: { find: (orderId: string) => findRequestLog(db, orderId, parts.clock.nowMs()) },
    configuration: {
      fileName: config.fileName,
      settings: () => shownSettings(config),
      file: () => fileState(config, readConfig),
    },
    book: { listings: config.listings, books: parts.books },
    whatIf: {
      listings: config.listings,
      books: parts.books,
      market: config.market,
      play: (question) => thread.play(question),
    },
    overview: { ...parts, version, listings: config.listings, tokens: createTokenStore(db) },
  } satisfies Omit<OperatorParts, keyof OperatorBuilt | 'keys' | 'members'>;
}
