/** The audit beside the gateway. Its thread is loaded by the first that is run. */

import { BackgroundAudit } from '#operator/background-audit.ts';
import { startAudit } from '#storage/audit/audit-thread.ts';
import type { BuiltStorage, Outside } from './storage.ts';

/** The audits of this gateway. The caller closes them. */
export function auditsOf({
  config: { databaseUrl, dataFolder, dataBucket, audit },
  ...parts
}: Pick<Outside & BuiltStorage, 'config' | 'clock' | 'ids' | 'log' | 'db'>): BackgroundAudit {
  const start = () => startAudit({ databaseUrl, data: { dataFolder, dataBucket }, nowMs: parts.clock.nowMs() });
  return new BackgroundAudit({ ...parts, start, daily: audit.daily });
}
