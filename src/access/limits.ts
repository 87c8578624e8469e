/**
 * The limits of Spec 8 that an operator can change, with the specification's defaults. The code that enforces them (rates:
 * `request-rates.ts`), the configuration that overrides them and GET /v1/rate-limits all use this record. Which rate a
 * request counts against is the `x-limit-class` of its operation in `openapi/paths/`. Bounds that nobody can change, such
 * as how long an order may wait, are in `base/bounds.ts`.
 */

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** The values of Spec 8. */
export const limitDefaults = {
  inferenceRequestsPerMinutePerKey: 1200,
  batchSubmissionsPerMinutePerAccount: 1200,
  accountOperationsPerMinutePerAccount: 2400,
  fileOperationsPerMinutePerAccount: 1200,
  publicRequestsPerMinutePerAddress: 600,
  /** The partner catalog has its own bucket because its clients share addresses. */
  partnerRequestsPerMinutePerAddress: 600,
  /** Open market streams; the three kinds share it. */
  streamsPerAddress: 5,
  /** Interactive and detached orders, for all models together. */
  queuedOrdersPerAccount: 2000,
  /** Queued batch lines. At the limit a batch waits; it never fails. */
  queuedBatchOrdersPerAccount: 5000,
  /** The same two for all accounts together. An account may use at most as much as it leaves free. */
  queuedOrders: 8000,
  queuedBatchOrders: 20_000,
  /** Bytes of the requests of those orders, as JSON. */
  queuedBytesPerAccount: 4 * GIB,
  /** The same for all accounts together. An account may use at most as much as it leaves free. */
  queuedBytes: 8 * GIB,
  /** How much of it may be in memory; the rest waits in files. */
  queuedBytesInMemory: 128 * MIB,
  runningBatchesPerAccount: 5,
  batchRequestsPerFile: 10_000,
  activeKeysPerAccount: 50,
  /** Of the decompressed body. */
  requestBodyBytes: 8 * MIB,
  /** Bytes of the bodies that are read at once; other bodies wait in turn. */
  requestBytesAtOnce: 64 * MIB,
  /** Unread bytes of replies, on all connections. Beyond it callers who have been behind the longest are cut off. */
  unreadBytes: 128 * MIB,
  batchFileBytes: 50 * MIB,
  downloadBytesPerHourPerAccount: 4 * GIB,
  storedBytesPerAccount: 100 * GIB,
};

/** All limits: whole numbers above 0. Rates are per minute and refill continuously. Spec 8. */
export type LimitSettings = Readonly<typeof limitDefaults>;

/** How many requests the bucket of each counted class holds, which it gets back in a minute. */
export function requestsPerMinute(limits: LimitSettings): Readonly<Record<RateClassName, number>> {
  return {
    inference: limits.inferenceRequestsPerMinutePerKey,
    batch: limits.batchSubmissionsPerMinutePerAccount,
    account: limits.accountOperationsPerMinutePerAccount,
    file: limits.fileOperationsPerMinutePerAccount,
    public: limits.publicRequestsPerMinutePerAddress,
    stream: limits.publicRequestsPerMinutePerAddress,
    partner: limits.partnerRequestsPerMinutePerAddress,
  };
}

type RateClassName = 'inference' | 'batch' | 'account' | 'file' | 'public' | 'stream' | 'partner';
