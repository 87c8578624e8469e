/** The stores of bodies and files that tests run on: a folder, and a bucket of a real S3-compatible server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { type DataStores, openDataStores } from '#storage/files/data-stores.ts';
import { startS3Server } from './s3-server.ts';

/** Empty stores, to be closed. */
export interface TestedStores extends DataStores {
  close(): Promise<void>;
}

const options = { clock: systemClock, deadlineMs: 60_000 };

/** Each kind, and how to open empty ones. */
export const testedStores: readonly { readonly name: string; readonly open: () => Promise<TestedStores> }[] = [
  {
    name: 'folder',
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'sluice-data-'));
      const stores = await openDataStores({ dataFolder: join(folder, 'data'), dataBucket: null }, options);
      return { ...stores, close: () => rm(folder, { recursive: true }) };
    },
  },
  {
    name: 'bucket',
    async open() {
      const server = await startS3Server();
      const stores = await openDataStores({ dataFolder: 'not used', dataBucket: server.address }, options);
      const close = async () => {
        stores.bucket?.close();
        await server.close();
      };
      return { ...stores, close };
    },
  },
];
