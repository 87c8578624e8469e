/** How much of its download allowance an account has used up. */
import type { DownloadUnit, PlainOutcome } from '#orders/journal-port.ts';
import { run, type Steps } from './steps.ts';

/** The figures are whole, not steps, so writing them twice is writing them once. */
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
