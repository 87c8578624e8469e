/** `sluice audit`: audits the database in one read snapshot, also while the gateway runs. Exits 1 with findings. */
import { systemClock } from '#base/clock.ts';
import type { Config } from '#config/config.ts';
import { acknowledge, findingId } from '#storage/audit/findings.ts';
import { type AuditOptions, audit } from '#storage/audit/index.ts';
import { compareReceipts } from '#storage/audit/kept-receipts.ts';
import type { Database } from '#storage/database/database.ts';
import { type DataPlace, openDataStores } from '#storage/files/data-stores.ts';
import { keptReceipts } from './kept-receipts.ts';
import type { OperatorStore } from './operator-store.ts';
import { CommandError, type CommandResult, strong, WrongValue } from './output.ts';

/** What the database is checked against. With `config` null, nothing that depends on the configuration is checked. */
interface AuditSources {
  readonly data: DataPlace;
  readonly config: Config | null;
  /** The finding that the operator has explained, by its id. */
  readonly acknowledging?: { readonly id: string; readonly reason: string } | null;
  /** A folder of receipts that clients keep; null or absent: none are compared. */
  readonly receiptsFolder?: string | null;
}

/** How long a request to a bucket may take when only the operator waits. */
const REQUEST_MS = 60_000;

/** How much was checked, and every finding as a sentence. */
export async function auditStore({ db }: OperatorStore, sources: AuditSources): Promise<CommandResult> {
  const { data, config, acknowledging = null, receiptsFolder = null } = sources;
  const { results, contents, bucket } = await openDataStores(data, { clock: systemClock, deadlineMs: REQUEST_MS });
  const check = async () => {
    const books = await audit(db, results, { ...(config ? boundsOf(config) : {}), contents });
    const kept = receiptsFolder === null ? null : await receiptsIn(db, receiptsFolder);
    return {
      accounts: books.accounts,
      orders: books.orders,
      receipts: kept?.receipts,
      sentences: [...books.findings, ...(kept?.findings ?? [])],
      acknowledged: books.acknowledged + (kept?.acknowledged ?? 0),
    };
  };
  if (acknowledging) await acknowledgeOne(db, (await check()).sentences, acknowledging);
  const { accounts, orders, receipts, sentences, acknowledged } = await check();
  bucket?.close();
  const ok = sentences.length === 0;
  const findings = sentences.map((sentence) => `${findingId(sentence)} ${sentence}`);
  const compared = receipts === undefined ? '' : `, ${counted(receipts, 'receipt')} of clients compared`;
  const known = acknowledged === 0 ? '' : `; ${counted(acknowledged, 'finding')} acknowledged`;
  const checked = `${counted(accounts, 'account')} and ${counted(orders, 'order')}${compared}${known}`;
  const text = ok ? `The audit passed: ${checked}.` : [strong(`The audit failed: ${checked}.`), ...findings].join('\n');
  return {
    json: { ok, accounts, orders, receipts, findings, ...(acknowledged > 0 ? { acknowledged } : {}) },
    text,
    exitCode: ok ? 0 : 1,
  };
}

/** Throws CommandError where no receipt was found: a wrong folder must not pass for a sound ledger. */
async function receiptsIn(db: Database, folder: string) {
  const report = await compareReceipts(db, keptReceipts(folder));
  if (report.receipts > 0 || report.findings.length > 0) return report;
  throw new CommandError(
    `There is no receipt in ${folder}; keep answers of the gateway there as .json or .jsonl files.`,
  );
}

async function acknowledgeOne(
  db: Database,
  sentences: readonly string[],
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<void> {
  const sentence = sentences.find((each) => findingId(each) === id);
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
