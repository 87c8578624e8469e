/** The lives of the gateway: it is started, watched, audited, killed with SIGKILL, and started again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess, Site } from '#testing/gateway-process.ts';
import { audited } from '../../harness/audit.ts';
import { count, type Ledger } from '../../harness/ledger.ts';
import { type MemorySample, readSample } from '../memory.ts';
import { oddLines } from './gateway-log.ts';
import type { Pause } from './pauses.ts';

/** One life, as the table shows it. */
export interface Life {
  readonly number: number;
  readonly minute: number;
  readonly restartMs: number;
  readonly lastedMs: number;
  /** At its end; null when there was no sample. */
  readonly memory: MemorySample | null;
  /** Null when the audit failed. */
  readonly audited: { readonly orders: number; readonly ms: number } | null;
}

/** What the lives need. */
export interface LivesOptions {
  readonly site: Site;
  readonly ledger: Ledger;
  readonly memoryFile: string;
  readonly lifeMs: number;
  readonly pauses: readonly Pause[];
  /** Keys that must stand in no log. */
  secrets(): readonly string[];
  isOver(): boolean;
  /** Called when a life has ended. */
  lived(life: Life): void;
}

/** The database may be paused. */
const AUDIT_TRIES = 10;
const AUDIT_PAUSE_MS = 2000;

/** Lives until the soak is over; returns the last gateway, which still runs. */
export async function liveAndDie(options: LivesOptions): Promise<GatewayProcess> {
  const { ledger, lifeMs, memoryFile, pauses } = options;
  for (;;) {
    ledger.life++;
    const startMs = performance.now();
    const gateway = await startPatiently(options);
    const bornMs = performance.now();
    const audited = await audit(options);
    await sleep(Math.max(0, lifeMs - (performance.now() - bornMs)));
    if (options.isOver()) return gateway;
    const memory = readSample(memoryFile, gateway.pid);
    if (!(await gateway.lives(0))) ledger.found(`the gateway ended by itself: ${gateway.output().slice(-2000)}`);
    ledger.killing();
    await gateway.kill();
    for (const odd of oddLines(gateway.log(), { pauses, secrets: options.secrets() })) ledger.found(odd);
    const { life: number, minute } = ledger;
    const lastedMs = performance.now() - bornMs;
    options.lived({ number, minute, restartMs: bornMs - startMs, lastedMs, memory, audited });
  }
}

/** Starts the gateway again when its start met a paused database, which ends it with a sentence: a service manager would. */
async function startPatiently({ site, ledger, pauses }: LivesOptions): Promise<GatewayProcess> {
  for (;;) {
    const startMs = Date.now();
    try {
      return await site.start();
    } catch (error) {
      const met = pauses.some(({ endedAtMs }) => endedAtMs === null || endedAtMs >= startMs);
      if (!met || !String(error).includes('cannot be used')) throw error;
      ledger.note({ start: String(error) });
      count(ledger.acts, 'start that met a paused database');
    }
  }
}

async function audit({ site, ledger }: LivesOptions): Promise<Life['audited']> {
  const startMs = performance.now();
  for (let tries = 1; ; tries++) {
    try {
      const { orders, findings } = await audited(site);
      for (const finding of findings) ledger.found(finding);
      return { orders, ms: performance.now() - startMs };
    } catch (error) {
      ledger.note({ audit: String(error) });
      await sleep(AUDIT_PAUSE_MS);
      if (tries < AUDIT_TRIES) continue;
      ledger.found(`the audit failed ${AUDIT_TRIES} times: ${error}`);
      return null;
    }
  }
}
