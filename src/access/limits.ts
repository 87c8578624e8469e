/**
 * The limits of Spec 8 that an operator can change, with the specification's defaults. The code that enforces them (rates:
 * `request-rates.ts`), the configuration that overrides them and GET /v1/rate-limits all use this record.
 */

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** All limits: whole numbers above 0. Rates are per minute and refill continuously. Spec 8. */
export interface LimitSettings {
  readonly inferenceRequestsPerMinutePerKey: number;
  readonly batchSubmissionsPerMinutePerAccount: number;
  readonly accountOperationsPerMinutePerAccount: number;
  readonly fileOperationsPerMinutePerAccount: number;
  readonly publicRequestsPerMinutePerAddress: number;
  /** The partner catalog has its own bucket because its clients share addresses. */
  readonly partnerRequestsPerMinutePerAddress: number;
  /** Open market streams; the three kinds share it. */
  readonly streamsPerAddress: number;
  /** Interactive and detached orders, for all models together. */
  readonly queuedOrdersPerAccount: number;
  /** Queued batch lines. At the limit a batch waits; it never fails. */
  readonly queuedBatchOrdersPerAccount: number;
  /** The same two for all accounts together. An account may use at most as much as it leaves free. */
  readonly queuedOrders: number;
  readonly queuedBatchOrders: number;
  /** Of the requests that those orders wait with, as JSON. */
  readonly queuedBytesPerAccount: number;
  /** The same for all accounts together. An account may use at most as much as it leaves free. */
  readonly queuedBytes: number;
  /** How much of it may be in memory; the rest waits in files. */
  readonly queuedBytesInMemory: number;
  readonly runningBatchesPerAccount: number;
  readonly batchRequestsPerFile: number;
  readonly activeKeysPerAccount: number;
  /** Of the decompressed body. */
  readonly requestBodyBytes: number;
  /** Of the bodies that are read at once; the others wait in turn. */
  readonly requestBytesAtOnce: number;
  /** Of replies, on all connections. Beyond it callers who have been behind the longest are cut off. */
  readonly unreadBytes: number;
  readonly batchFileBytes: number;
  readonly downloadBytesPerHourPerAccount: number;
  readonly storedBytesPerAccount: number;
}

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

/** The values of Spec 8. */
export const limitDefaults: LimitSettings = {
  inferenceRequestsPerMinutePerKey: 1200,
  batchSubmissionsPerMinutePerAccount: 1200,
  accountOperationsPerMinutePerAccount: 2400,
  fileOperationsPerMinutePerAccount: 1200,
  publicRequestsPerMinutePerAddress: 600,
  partnerRequestsPerMinutePerAddress: 600,
  streamsPerAddress: 5,
  queuedOrdersPerAccount: 2000,
  queuedBatchOrdersPerAccount: 5000,
  queuedOrders: 8000,
  queuedBatchOrders: 20_000,
  queuedBytesPerAccount: 4 * GIB,
  queuedBytes: 8 * GIB,
  queuedBytesInMemory: 128 * MIB,
  runningBatchesPerAccount: 5,
  batchRequestsPerFile: 10_000,
  activeKeysPerAccount: 50,
  requestBodyBytes: 8 * MIB,
  requestBytesAtOnce: 64 * MIB,
  unreadBytes: 128 * MIB,
  batchFileBytes: 50 * MIB,
  downloadBytesPerHourPerAccount: 4 * GIB,
  storedBytesPerAccount: 100 * GIB,
};
