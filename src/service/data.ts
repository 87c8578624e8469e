/** Opens the data of a gateway: in the folder or the bucket of SLUICE_DATA, and what waits in the local folder. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#base/clock.ts';
import { DiskSpace } from '#base/disk-space.ts';
import type { IdSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { Config } from '#config/config.ts';
import type { Overfull } from '#results/ports.ts';
import { DiskCalls } from '#storage/blobs/disk-calls.ts';
import { freeBytes } from '#storage/blobs/folders.ts';
import { splitInputs } from '#storage/blobs/kept-inputs.ts';
import type { Database } from '#storage/database/database.ts';
import { DatabaseRefused } from '#storage/database/refusal.ts';
import { int, type Row } from '#storage/database/values.ts';
import { openDataStores, openFolders } from '#storage/files/data-stores.ts';

/** Requests to a bucket keep no thread of the process; this bounds connections and memory. */
const BUCKET_CALLS_AT_ONCE = 32;

/** The accounts that store most are refused first; the others follow once these have given way. */
const OVER_SHARE_MAX = 1_000;

interface DataOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
}

/** What `openData` opens. */
export type OpenedData = Awaited<ReturnType<typeof openData>>;

/** Opens the stores. Throws BucketRefused when the bucket cannot be written, read, listed or deleted from. */
export async function openData(outside: DataOptions, occupying: Overfull, mayStore: (() => boolean) | null = null) {
  const { config, clock, log, ids } = outside;
  const timing = { clock, log, deadlineMs: config.diskDeadlineMs, ...(mayStore ? { mayCall: mayStore } : {}) };
  const diskCalls = new DiskCalls(timing);
  const bucketCalls = config.dataBucket && new DiskCalls({ ...timing, name: 'bucket', atOnce: BUCKET_CALLS_AT_ONCE });
  const stores = await openDataStores(config, { ...timing, access: bucketCalls ?? diskCalls });
  await stores.bucket?.tryOut(ids.uuid());
  const calls = {
    get stalled() {
      return diskCalls.stalled || (bucketCalls?.stalled ?? false);
    },
    /** Whether one is under way that may come back soon. */
    get working() {
      return diskCalls.working || (bucketCalls?.working ?? false);
    },
  };
  const disk = new DiskSpace({
    ...{ calls, clock, log, reserveBytes: config.diskReserveBytes },
    storingMoreThan: config.dataBucket
      ? null
      : async (bytes) => (await occupying(bytes, OVER_SHARE_MAX)).map(({ accountId }) => accountId),
    freeBytes: () => diskCalls.inTime(() => freeBytes(config.dataFolder)),
  });
  const spilled = openFolders(config.dataFolder, diskCalls).inputs;
  if (stores.bucket) await spilled.sweepDrafts();
  return { ...stores, calls, disk, spilled };
}

/** The inputs of orders, and which of them are kept. */
export function openInputs({ inputs, spilled, bucket }: OpenedData) {
  const keptIds = new Set<string>();
  const inputFiles = bucket ? splitInputs(inputs, spilled, keptIds) : inputs;
  /** The orders whose inputs are kept now, also by other gateways. Only after the sweep. */
  const readKeptInputs = async (): Promise<ReadonlySet<string>> => {
    const kept = new Set((await Array.fromAsync(inputs.list())).flat());
    for (const id of kept) keptIds.add(id);
    return kept;
  };
  return { inputFiles, readKeptInputs };
}

const FILE = 'cluster';
const COUNTER = 'data_folder';

/**
 * Marks the folder for this database if `alone`; else rejects with DatabaseRefused if it is not the others': the results
 * and inputs of orders that this gateway adopts are in it. A file in it has a number, and the database has the same.
 */
export async function checkSharedFolder(
  db: Database,
  { folder, alone, random }: { folder: string; alone: boolean; random: Random },
): Promise<void> {
  const file = join(folder, FILE);
  const row: Row | undefined = await db.knex('counters').where({ name: COUNTER }).first('value');
  const number = row ? int(row.value) : Math.floor(random.next() * 2 ** 48);
  if (row && numberIn(file) === number) return;
  if (row && !alone) {
    throw new DatabaseRefused(
      `the other gateways keep their data in another folder than ${folder}; mount theirs, or set SLUICE_DATA to a bucket`,
    );
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${number}\n`);
  if (!row) await db.knex('counters').insert({ name: COUNTER, value: number });
}

function numberIn(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8').trim());
  } catch {
    return null;
  }
}
