/** Opens the data of a gateway: in the folder or the bucket of SLUICE_DATA, and what waits in the local folder. */
import type { Clock } from '#base/clock.ts';
import { DiskSpace } from '#base/disk-space.ts';
import type { IdSource } from '#base/id.ts';
import type { Log } from '#base/log.ts';
import type { Config } from '#config/config.ts';
import { DiskCalls } from '#storage/blobs/disk-calls.ts';
import { freeBytes } from '#storage/blobs/folders.ts';
import { splitInputs } from '#storage/blobs/kept-inputs.ts';
import { openDataStores, openFolders } from '#storage/files/data-stores.ts';

/** Requests to a bucket keep no thread of the process; this bounds connections and memory. */
const BUCKET_CALLS_AT_ONCE = 32;

interface DataOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
}

/** What `openData` opens. */
export type OpenedData = Awaited<ReturnType<typeof openData>>;

/** Opens the stores. Throws BucketRefused when the bucket cannot be written, read, listed or deleted from. */
export async function openData(outside: DataOptions, mayStore: (() => boolean) | null = null) {
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
