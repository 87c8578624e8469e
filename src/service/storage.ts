/**
 * Builds the storage of a gateway: repairs what the process before left, then opens the stores and the journal. Nothing
 * may be written before the orders of earlier boots are recovered.
 */
import { Accounts } from '#accounts/account/account-store.ts';
import { AccessStore } from '#accounts/keys/key-lookup.ts';
import type { Clock } from '#base/clock.ts';
import type { IdSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { BatchFiles } from '#batches/file.ts';
import type { Config } from '#config/config.ts';
import type { GatewayCounts } from '#observe/metrics/gateway-counts.ts';
import { createBatchStore } from '#storage/batches/store.ts';
import { sweepBlobs, sweepContents, sweepInputs } from '#storage/cleanup/sweep-unowned.ts';
import type { Database } from '#storage/database/database.ts';
import { sweptStores } from '#storage/files/data-stores.ts';
import { createFileStore } from '#storage/files/store.ts';
import { createJournal } from '#storage/journal/journal.ts';
import type { ServingRight } from '#storage/leases/serving.ts';
import { latestLevels } from '#storage/market/quotes.ts';
import { recover } from '#storage/orders/recovery.ts';
import { createOrderStore } from '#storage/orders/store.ts';
import { createResultStore, occupyingIn } from '#storage/results/store.ts';
import { answeredModels } from '#storage/statistics/model-tokens.ts';
import { createProbeStore } from '#storage/statistics/probes.ts';
import { type OpenedData, openData, openInputs } from './data.ts';

/** What comes from outside the process: settings, time, chance and the log. */
export interface Outside {
  readonly config: Config;
  /** The configuration that a start would read now; absent: that of the file and the environment of the process. */
  readonly readConfig?: () => Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: IdSource;
  readonly log: Log;
}

/** What `buildStorage` builds. */
export type BuiltStorage = Awaited<ReturnType<typeof buildStorage>>;

interface Databases {
  readonly db: Database;
  /** The same database, for statements that a caller waits for. */
  readonly answering: Database;
  readonly right: Pick<ServingRight, 'gateway' | 'fence' | 'place'>;
  /** Whether others may serve beside this gateway. Otherwise all unfinished rows are its own. */
  readonly isShared: boolean;
  /** See `Joined`; null where one gateway serves alone. */
  readonly mayStore: (() => boolean) | null;
  readonly counts: GatewayCounts | null;
}

/** Repairs `db` and the data, and opens the stores in them, which read and write through `answering`. */
export async function buildStorage(outside: Outside, databases: Databases) {
  const { db, answering, right, isShared, mayStore, counts } = databases;
  const { fence, place, gateway: bootEpoch } = right;
  const { config, clock, ids, log } = outside;
  const startedAtMs = clock.nowMs();
  // Beside others nothing is recovered: the orders of those that died are adopted while all go on.
  const recovered = isShared ? { ended: 0, returned: 0 } : await recover(db, { bootEpoch, clock, fence });
  const levels = await latestLevels(db);
  const data = await openData(outside, occupyingIn(answering), mayStore);
  const batchStore = createBatchStore(answering);
  // What looks like an orphan may be what another gateway is about to record.
  const swept = place?.alone === false ? null : await sweep(db, { outside, data, batchFiles: batchStore });
  log.info({ bootEpoch, ended: recovered.ended, returned: recovered.returned, swept }, 'The database is ready.');

  const onCommit = counts ? { onCommit: counts.committed } : {};
  const journal = createJournal(db, { clock, log, fence, deadlineMs: config.databaseDeadlineMs, ...onCommit });
  return {
    db: answering,
    journal,
    bootEpoch,
    startedAtMs,
    levels,
    contents: data.contents,
    calls: data.calls,
    bucket: data.bucket,
    ...openInputs(data),
    batchStore,
    disk: data.disk,
    store: createOrderStore(answering),
    results: createResultStore(answering, data.results),
    files: createFileStore(answering, journal),
    access: new AccessStore(answering),
    accounts: new Accounts({ db: answering, clock, ids }),
    probes: createProbeStore(answering),
    counts,
    answeredBefore: await answeredModels(db),
  };
}

interface Sweep {
  readonly outside: Pick<Outside, 'clock' | 'random'>;
  readonly data: OpenedData;
  readonly batchFiles: BatchFiles;
}

/** Deletes what no row names, and returns how many results that were. No other process may be writing. */
async function sweep(db: Database, { outside, data, batchFiles }: Sweep): Promise<number> {
  const { results, inputs, contents } = await sweptStores(data, outside);
  const swept = await sweepBlobs(db, results);
  await sweepInputs(db, inputs);
  if (data.bucket) await sweepInputs(db, data.spilled);
  await sweepContents(db, contents, batchFiles);
  return swept;
}
