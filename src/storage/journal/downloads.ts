/** How much of its download allowance an account has used. */
import type { PlainOutcome } from '#base/journal.ts';
import { run, type Steps } from './steps.ts';

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

/** The figures are absolute, not increments, so the unit is idempotent. */
export function* download({ accountId, usedBytes, atMs }: DownloadUnit): Steps<PlainOutcome> {
  const { changes } = yield run(
    'UPDATE downloads SET used_bytes = ?, at_ms = ? WHERE account_id = ?',
    BigInt(usedBytes),
    atMs,
    accountId,
  );
  if (changes === 0) {
    yield run(
      'INSERT INTO downloads (account_id, used_bytes, at_ms) VALUES (?, ?, ?)',
      accountId,
      BigInt(usedBytes),
      atMs,
    );
  }
  return { result: 'changed' };
}
