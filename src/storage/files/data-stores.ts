/** Opens what SLUICE_DATA names: a folder, or a bucket. The names in both are the same. */
import { join } from 'node:path';
import type { BucketAddress } from '#base/bucket-address.ts';
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { BlobStore, Sweepable } from '../blobs/blob-store.ts';
import { FolderBlobs } from '../blobs/blobs.ts';
import type { Bucket } from '../blobs/bucket.ts';
import { type DiskAccess, directAccess } from '../blobs/disk-calls.ts';
import { FolderContents, type KeptContents } from './contents.ts';

const NAMES = { results: 'results', files: 'files', inputs: 'queued' } as const;

/** Where the data is. */
export interface DataPlace {
  /** With a bucket, the folder for what need not outlive the process. */
  readonly dataFolder: string;
  readonly dataBucket: BucketAddress | null;
}

/** The stores of large results, of files and of large inputs. */
export interface DataStores {
  readonly results: BlobStore;
  readonly contents: KeptContents;
  /** Of orders that outlive their callers; in a folder, of the others too. */
  readonly inputs: BlobStore;
  /** Null for a folder. */
  readonly bucket: Bucket | null;
}

/** Opens them; creates and reads nothing yet. A bucket has to be closed. `deadlineMs`: of a request to a bucket. */
export async function openDataStores(
  { dataFolder, dataBucket }: DataPlace,
  { clock, deadlineMs, access = directAccess }: { clock: Clock; deadlineMs: number; access?: DiskAccess },
): Promise<DataStores> {
  if (dataBucket === null) return { ...openFolders(dataFolder, access), bucket: null };
  // The SDK costs a start about 100 ms, so only a gateway with a bucket loads it.
  const [{ Bucket }, { BucketBlobs }, { BucketContents }] = await Promise.all([
    import('../blobs/bucket.ts'),
    import('../blobs/bucket-blobs.ts'),
    import('./bucket-contents.ts'),
  ]);
  const bucket = new Bucket(dataBucket, { clock, deadlineMs });
  return {
    results: new BucketBlobs(bucket, NAMES.results, access),
    contents: new BucketContents(bucket, NAMES.files, access),
    inputs: new BucketBlobs(bucket, NAMES.inputs, access),
    bucket,
  };
}

/**
 * What a start may look through for orphans: the same stores, and of a bucket the old part of some of it. Drafts that a killed process left in a folder are deleted first, so this must be called
 * before any are written.
 */
export async function sweptStores(
  stores: DataStores,
  outside: { readonly clock: Clock; readonly random: Random },
): Promise<Record<'results' | 'contents' | 'inputs', Sweepable>> {
  const { results, contents, inputs, bucket } = stores;
  if (bucket === null) {
    for (const store of [results, contents, inputs])
      if (store instanceof FolderBlobs || store instanceof FolderContents) await store.sweepDrafts();
    return { results, contents, inputs };
  }
  const [{ sweepable }, { blobNameIn }, { fileIdOf }] = await Promise.all([
    import('../blobs/bucket-sweep.ts'),
    import('../blobs/bucket-blobs.ts'),
    import('./bucket-contents.ts'),
  ]);
  const swept = (folder: string, store: Pick<Sweepable, 'delete'>, idOf: (key: string) => string | null) =>
    sweepable({ bucket, folder, idOf, delete: (id) => store.delete(id) }, outside);
  return {
    results: swept(NAMES.results, results, blobNameIn),
    contents: swept(NAMES.files, contents, fileIdOf),
    inputs: swept(NAMES.inputs, inputs, blobNameIn),
  };
}

/** The stores in a folder. */
export function openFolders(folder: string, access: DiskAccess = directAccess) {
  return {
    results: new FolderBlobs(join(folder, NAMES.results), access),
    contents: new FolderContents(join(folder, NAMES.files), access),
    inputs: new FolderBlobs(join(folder, NAMES.inputs), access),
  };
}
