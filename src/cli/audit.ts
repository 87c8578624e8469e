/** `sluice audit`: audits the database in one read snapshot, also while the gateway runs. Exits 1 with findings. */
import { systemClock } from '#base/clock.ts';
import type { Config } from '#config/config.ts';
import { acknowledge, findingId } from '#storage/audit/findings.ts';
import { type AuditOptions, type AuditReport, audit } from '#storage/audit/index.ts';
import type { Database } from '#storage/database/database.ts';
import { type DataPlace, openDataStores } from '#storage/files/data-stores.ts';
import type { OperatorStore } from './operator-store.ts';
import { type CommandResult, strong, WrongValue } from './output.ts';

/** What the database is checked against. With `config` null, nothing that depends on the configuration is checked. */
interface AuditSources {
  readonly data: DataPlace;
  readonly config: Config | null;
  /** The finding that the operator has explained, by its id. */
  readonly acknowledging?: { readonly id: string; readonly reason: string } | null;
}

/** How long a request to a bucket may take when nobody but the operator waits. */
const REQUEST_MS = 60_000;

/** How much was checked, and every finding as a sentence. */
export async function auditStore(
  { db }: OperatorStore,
  { data, config, acknowledging = null }: AuditSources,
): Promise<CommandResult> {
  const { results, contents, bucket } = await openDataStores(data, { clock: systemClock, deadlineMs: REQUEST_MS });
  const options = { ...(config ? boundsOf(config) : {}), contents };
  if (acknowledging) await acknowledgeOne(db, await audit(db, results, options), acknowledging);
  const { ok, accounts, orders, acknowledged, findings: sentences } = await audit(db, results, options);
  bucket?.close();
  const findings = sentences.map((sentence) => `${findingId(sentence)} ${sentence}`);
  const known = acknowledged === 0 ? '' : `; ${counted(acknowledged, 'finding')} acknowledged`;
  const checked = `${counted(accounts, 'account')} and ${counted(orders, 'order')}${known}`;
  const text = ok ? `The audit passed: ${checked}.` : [strong(`The audit failed: ${checked}.`), ...findings].join('\n');
  return {
    json: { ok, accounts, orders, findings, ...(acknowledged > 0 ? { acknowledged } : {}) },
    text,
    exitCode: ok ? 0 : 1,
  };
}

async function acknowledgeOne(
  db: Database,
  { findings }: AuditReport,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<void> {
  const sentence = findings.find((each) => findingId(each) === id);
  if (sentence === undefined) throw new WrongValue(`The audit has no finding ${id} now; sluice audit lists them.`);
  await acknowledge(db, systemClock, { sentence, reason });
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function boundsOf({ listings, pods }: Config): AuditOptions {
  return {
    bounds: new Map(listings.all.map((listing) => [listing.id, listing])),
    slots: new Map(pods.map((pod) => [pod.id, pod.slots])),
  };
}
