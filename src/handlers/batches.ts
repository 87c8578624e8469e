/**
 * Creating, reading and cancelling batches. Reading a batch moves no money and reads only its row. Malformed, unknown
 * and foreign ids get the same response. Spec 4.8.
 */
import type { Principal } from '#access/principal.ts';
import { managesAll } from '#access/scopes.ts';
import { DEADLINE_HEADER, readDeadline, readTags } from '#adapters/common/extensions.ts';
import { checkMetadata } from '#adapters/common/fields.ts';
import { nearMisses } from '#adapters/common/near-misses.ts';
import type { Clock } from '#base/clock.ts';
import { invalidRequest } from '#base/fault.ts';
import { priceFromUsd, priceToUsd } from '#base/money.ts';
import { epochSeconds } from '#base/time.ts';
import { type BatchRecord, type BatchStore, ENDPOINTS, isActive, isBatchId, keptDays } from '#batches/batch.ts';
import { type Batches, type BatchParams, noSuchBatch } from '#batches/batches.ts';
import { fileExpiryMs } from '#batches/file.ts';
import type { AccountHandlers, HandlersFor } from '#contract/call.ts';
import { listById } from '#contract/cursor-page.ts';
import type { BodyOf } from '#contract/operation.ts';
import { orderKinds } from '#orders/order.ts';
import type { Eviction } from '#results/eviction.ts';
import { isDryRun } from './dry-run.ts';
import { isStrict, warningOf } from './strictness.ts';

/** createBatch, listBatches, getBatch and cancelBatch. */
export function batchesHandlers(options: {
  batches: Pick<Batches, 'create' | 'cancel'>;
  store: Pick<BatchStore, 'find' | 'list'>;
  eviction: Pick<Eviction, 'requireRoom'>;
  clock: Clock;
}): HandlersFor<'createBatch'> & AccountHandlers<'listBatches' | 'getBatch' | 'cancelBatch'> {
  const { batches, store, eviction, clock } = options;
  const shown = (batch: BatchRecord) => batchObject(batch, clock.nowMs());
  return {
    async createBatch({ principal, body, headers }) {
      if (isDryRun(headers)) throw invalidRequest('x-dry-run', NO_DRY_RUN);
      if (headers[DEADLINE_HEADER] !== undefined) throw invalidRequest(DEADLINE_HEADER, NO_DEADLINE_HEADER);
      const strict = isStrict(headers, principal);
      const warning = warningOf(nearMisses(body, headers, ['price_limit']), strict);
      const { account, key } = principal;
      await eviction.requireRoom({ accountId: account.id, keyId: key.id, evictsOwn: !managesAll(key) });
      const batch = await batches.create(
        { ...paramsOf(principal, body), tags: readTags(body, headers), strict },
        principal.reach,
      );
      return { status: 200, headers: warning, json: shown({ ...batch, outputGone: false }) };
    },

    async listBatches({ principal, query }) {
      const { limit, after } = query;
      const data = (await store.list(principal.reach, { limit, after })).map(shown);
      return { status: 200, json: listById(data, limit) };
    },

    async getBatch(call) {
      return { status: 200, json: shown(await batchInPath(call, store)) };
    },

    async cancelBatch(call) {
      const { id, accountId } = await batchInPath(call, store);
      await batches.cancel(accountId, id);
      return { status: 200, json: shown(await batchInPath(call, store)) };
    },
  };
}

/** If the header were ignored, its sender would pay for a whole file of orders. */
const NO_DRY_RUN = 'A batch has no dry run. Nothing was created; send a line of it as a request of its own.';

/** Ignored, it would have every line bid its limit at once. */
const NO_DEADLINE_HEADER = 'A batch has its deadline in its body, not in a header. Nothing was created.';

/** The batch named in the path. Throws not_found. */
async function batchInPath(
  { params: { id }, principal }: Parameters<AccountHandlers<'getBatch'>['getBatch']>[0],
  store: Pick<BatchStore, 'find'>,
): Promise<BatchRecord> {
  const batch = isBatchId(id) ? await store.find(principal.reach, id) : null;
  if (!batch) throw noSuchBatch();
  return batch;
}

/** The body is validated for types and bounds; here is checked what the schema cannot say about metadata. */
function paramsOf({ account, key }: Principal, body: BodyOf<'createBatch'>): Omit<BatchParams, 'strict' | 'tags'> {
  checkMetadata(body.metadata);
  return {
    accountId: account.id,
    keyId: key.id,
    kind: orderKinds.find((kind) => ENDPOINTS[kind] === body.endpoint) ?? 'chat',
    inputFileId: body.input_file_id,
    limit: typeof body.price_limit === 'number' ? priceFromUsd(body.price_limit) : null,
    priceLimits: { ...account.priceLimits, ...key.priceLimits },
    keyModels: key.models,
    keyBudgeted: key.budget !== null,
    retentionDays: account.retentionDays,
    logPayloads: account.logPayloads,
    metadata: body.metadata ?? null,
    maxWaitS: body.max_wait ?? null,
    deadline: readDeadline(body, {})?.wished ?? null,
  };
}

/** The batch object at `nowMs`. Everything is in its row: no lines are counted to show it. Spec 2.6. Times are whole epoch seconds, null for what has not happened yet. */
function batchObject(batch: BatchRecord, nowMs: number) {
  const { status, counts, endedAtMs } = batch;
  const { completed, failed, active, expired, canceled, placed } = counts;
  const endedAs = (...statuses: readonly string[]) => (statuses.includes(status) ? seconds(endedAtMs) : null);
  return {
    id: batch.id,
    object: 'batch',
    endpoint: ENDPOINTS[batch.kind],
    status,
    input_file_id: batch.inputFileId,
    output_file_id: fileId(batch, batch.outputFileId, batch.sizes.outputBytes),
    error_file_id: fileId(batch, batch.errorFileId, batch.sizes.errorBytes),
    errors: batch.errors && { object: 'list', data: batch.errors.map((message) => ({ code: 'batch_error', message })) },
    completion_window: '24h',
    created_at: epochSeconds(batch.createdAtMs),
    in_progress_at: seconds(batch.inProgressAtMs),
    finalizing_at: endedAs('completed', 'expired'),
    completed_at: endedAs('completed'),
    failed_at: endedAs('failed'),
    expired_at: endedAs('expired'),
    cancelling_at: seconds(batch.cancellingAtMs),
    cancelled_at: endedAs('cancelled'),
    expires_at: epochSeconds(batch.expiresAtMs),
    request_counts: { total: counts.total ?? 0, completed, failed },
    metadata: batch.metadata,
    tags: batch.tags ?? undefined,
    x_market: {
      active,
      pending_result: completed + failed - placed,
      expired,
      canceled,
      bid: batch.limit === null ? null : priceToUsd(batch.limit),
      deadline: seconds(batch.deadlineMs),
    },
    x_retention: retentionOf(batch, nowMs),
  };
}

/** Null for an empty file, and for one that may still grow. */
function fileId(batch: BatchRecord, id: string, bytes: number): string | null {
  return isActive(batch) || bytes === 0 ? null : id;
}

function retentionOf({ endedAtMs, sizes, retentionDays, outputGone }: BatchRecord, nowMs: number) {
  const hasOutput = endedAtMs !== null && sizes.outputBytes > 0;
  const expiresAtMs = hasOutput ? fileExpiryMs(endedAtMs, retentionDays) : null;
  return {
    output_days: keptDays(retentionDays),
    output_expires_at: seconds(expiresAtMs),
    output_deleted: expiresAtMs !== null && (outputGone || nowMs >= expiresAtMs),
  };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : epochSeconds(ms);
}
