/**
 * The limits of Spec 8 that an operator may set, with the specification's values as defaults. One record serves three
 * readers: what enforces a limit, the configuration that overrides it, and GET /v1/rate-limits that prints it.
 */

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Every limit; whole numbers, above 0. Rates are per minute and refill continuously. Spec 8. */
export interface LimitSettings {
  readonly inferenceRequestsPerMinutePerKey: number;
  readonly batchSubmissionsPerMinutePerAccount: number;
  readonly accountOperationsPerMinutePerAccount: number;
  readonly fileOperationsPerMinutePerAccount: number;
  readonly publicRequestsPerMinutePerAddress: number;
  /** The partner catalog is read by machines that share addresses, so it has a bucket of its own. */
  readonly partnerRequestsPerMinutePerAddress: number;
  /** Open market streams; the three streams share it. */
  readonly streamsPerAddress: number;
  /** Interactive and detached orders, over all models. */
  readonly queuedOrdersPerAccount: number;
  /** Queued batch lines: beyond it a batch waits, it never fails. */
  readonly queuedBatchOrdersPerAccount: number;
  readonly runningBatchesPerAccount: number;
  readonly batchRequestsPerFile: number;
  readonly activeKeysPerAccount: number;
  /** Of the body after it was decompressed. */
  readonly requestBodyBytes: number;
  readonly batchFileBytes: number;
  readonly downloadBytesPerHourPerAccount: number;
  readonly storedBytesPerAccount: number;
}

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
  runningBatchesPerAccount: 5,
  batchRequestsPerFile: 10_000,
  activeKeysPerAccount: 50,
  requestBodyBytes: 8 * MIB,
  batchFileBytes: 50 * MIB,
  downloadBytesPerHourPerAccount: 4 * GIB,
  storedBytesPerAccount: 100 * GIB,
};
