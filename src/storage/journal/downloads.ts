/** How much of its download allowance an account has used. */
import type { PlainOutcome } from '#base/journal.ts';
import type { UnitKind } from './context.ts';
import { upsert } from './operations.ts';

/** The unit of downloads. */
export interface DownloadUnits {
  readonly download: { readonly unit: DownloadUnit; readonly outcome: PlainOutcome };
}

/** How much of an account's download allowance was used at a moment. */
interface DownloadUnit {
  readonly kind: 'download';
  readonly accountId: string;
  readonly usedBytes: number;
  readonly atMs: number;
}

const REPLACE = upsert('replace', 'downloads', ['account_id'], ['used_bytes', 'at_ms']);

/** The figures are absolute, not increments, so the unit is idempotent. */
export const download: UnitKind<DownloadUnit, PlainOutcome> = {
  apply({ accountId, usedBytes, atMs }, { picture }) {
    picture.write(REPLACE, [accountId, BigInt(usedBytes), atMs]);
    return { result: 'changed' };
  },
};
