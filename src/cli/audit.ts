/** `sluice audit`: proves the books, in one read snapshot, while the gateway runs. Exits 1 when they do not agree. */
import { join } from 'node:path';
import type { Config } from '#config.ts';
import { type AuditOptions, audit } from '#storage/audit/index.ts';
import { FolderBlobs } from '#storage/blobs.ts';
import { FolderContents } from '#storage/file-contents.ts';
import type { Books } from './books.ts';
import { type Result, strong } from './output.ts';

/** What the books are held against. `config` null leaves out what a change of the configuration would make untrue. */
export interface AuditWish {
  readonly dataFolder: string;
  readonly config: Config | null;
}

/** What was looked at, and every finding as a sentence. */
export async function auditBooks({ db }: Books, { dataFolder, config }: AuditWish): Promise<Result> {
  const results = new FolderBlobs(join(dataFolder, 'results'));
  const contents = new FolderContents(join(dataFolder, 'files'));
  const options = { ...(config ? boundsOf(config) : {}), contents };
  const { ok, accounts, orders, findings } = await audit(db, results, options);
  const looked = `${accounts} accounts and ${orders} orders`;
  const text = ok
    ? `The books agree: ${looked}.`
    : [strong(`The books do not agree: ${looked}.`), ...findings].join('\n');
  return { json: { ok, accounts, orders, findings }, text, exitCode: ok ? 0 : 1 };
}

function boundsOf({ listings, pods }: Config): AuditOptions {
  return {
    bounds: new Map(listings.all.map((listing) => [listing.id, listing])),
    slots: new Map(pods.map((pod) => [pod.id, pod.slots])),
  };
}
