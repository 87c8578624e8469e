/** Usage: settled orders, newest first, with totals that equal the charges on the balance. Spec 2.4, 4.7. */
import assert from 'node:assert';
import type { AccessStore } from '#accounts/keys/access-store.ts';
import type { UsageFilter, UsageRow, UsageStore } from '#accounts/ledger/usage-store.ts';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import { iso } from '#base/time.ts';
import { cursorPage, timeBefore, timeKey } from '#contract/cursor-page.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { Listings } from '#market/listing.ts';
import { listingNamed } from './listing-named.ts';

interface UsageOptions {
  readonly usage: Pick<UsageStore, 'list' | 'totals'>;
  readonly access: Pick<AccessStore, 'account'>;
  readonly listings: Listings;
}

/** listUsage. The three totals cover all filtered records; they are null after the first page. */
export function usageHandlers({ usage, access, listings }: UsageOptions): HandlersFor<'listUsage'> {
  return {
    async listUsage({ principal, query }) {
      const accountId = principal.account.id;
      const { limit } = query;
      const model = listingNamed(query.model, listings)?.id ?? null;
      const filter: UsageFilter = { accountId, model, fromMs: query.from, toMs: query.to };
      const scope = `usage ${JSON.stringify(filter)}`;
      const after = timeBefore(scope, query.cursor);
      const [rows, totals] = await Promise.all([
        usage.list(filter, { limit: limit + 1, after }),
        after === null ? totalsOf(filter) : NO_TOTALS,
      ]);
      const { page, more } = cursorPage(rows, { limit, scope }, timeKey);
      return {
        status: 200,
        json: {
          object: 'list',
          ...totals,
          ...more,
          data: page.map(usageRecord),
        },
      };
    },
  };

  async function totalsOf(filter: UsageFilter) {
    const [account, totals] = await Promise.all([access.account(filter.accountId), usage.totals(filter)]);
    assert(account, `account ${filter.accountId} is gone`);
    return {
      balance_usd: nanoToUsd(account.balance),
      total_charged_usd: nanoToUsd(totals.charged),
      total_requests: totals.requests,
    };
  }
}

const NO_TOTALS = { balance_usd: null, total_charged_usd: null, total_requests: null };

function usageRecord(row: UsageRow) {
  return {
    id: row.id,
    order_id: row.orderId,
    created_at: iso(row.createdAtMs),
    model: row.model,
    prompt_tokens: row.promptTokens,
    cached_tokens: row.cachedTokens,
    output_tokens: row.outputTokens,
    level_at_execution: priceToUsd(row.price),
    charged_usd: nanoToUsd(row.charged),
    pricing: row.pricing,
  };
}
