/** Usage: settled orders, newest first, with totals that equal the charges on the balance. Spec 2.4, 4.7. */
import assert from 'node:assert';
import type { AccessStore } from '#accounts/keys/access-store.ts';
import type { UsageFilter, UsageRow, UsageStore } from '#accounts/ledger/usage-store.ts';
import { decodeCursor, encodeCursor } from '#base/cursor.ts';
import { nanoToUsd, priceToUsd } from '#base/money.ts';
import type { HandlersFor } from '#contract/handlers.ts';
import type { Listings } from '#market/listing.ts';
import { modelNamed } from './model-named.ts';

/** What the handler of usage needs. */
export interface UsageOptions {
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
      const model = modelNamed(query.model, listings);
      const filter: UsageFilter = { accountId, model, fromMs: query.from, toMs: query.to };
      const scope = `usage ${JSON.stringify(filter)}`;
      const { cursor } = query;
      const after = cursor === null ? null : rowKey(decodeCursor(scope, cursor));
      const [rows, totals] = await Promise.all([
        usage.list(filter, { limit: limit + 1, after }),
        after === null ? totalsOf(filter) : NO_TOTALS,
      ]);
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return {
        status: 200,
        json: {
          object: 'list',
          ...totals,
          has_more: last !== undefined,
          next_cursor: last ? encodeCursor(scope, [last.createdAtMs, last.id]) : null,
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

function rowKey([createdAtMs, id]: readonly (string | number)[]): { createdAtMs: number; id: string } {
  return { createdAtMs: Number(createdAtMs), id: String(id) };
}

function usageRecord(row: UsageRow) {
  return {
    id: row.id,
    order_id: row.orderId,
    created_at: new Date(row.createdAtMs).toISOString(),
    model: row.model,
    prompt_tokens: row.promptTokens,
    cached_tokens: row.cachedTokens,
    output_tokens: row.outputTokens,
    level_at_execution: priceToUsd(row.price),
    charged_usd: nanoToUsd(row.charged),
    pricing: row.pricing,
  };
}
