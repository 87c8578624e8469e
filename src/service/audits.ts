/** The audit beside the gateway. Its thread is loaded by the first that is run. */

import { BackgroundAudit } from '#operator/background-audit.ts';
import { startAudit } from '#storage/audit/audit-thread.ts';
import type { Parts } from './parts.ts';

/** The audits of this gateway. The caller closes them. */
export function auditsOf({ outside, storage }: Pick<Parts, 'outside' | 'storage'>): BackgroundAudit {
  const { clock, ids, log } = outside;
  const { databaseUrl, dataFolder, dataBucket, audit } = outside.config;
  const start = () => startAudit({ databaseUrl, data: { dataFolder, dataBucket }, nowMs: clock.nowMs() });
  return new BackgroundAudit({ db: storage.db, clock, ids, log, start, daily: audit.daily });
}
