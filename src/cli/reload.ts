/**
 * `sluice reload`: reloads the configuration of the gateways on this machine, by SIGHUP, and prints the outcome. Each
 * writes that to the audit log, which is how it is known here. Only the gateway checks the file: keys of pods are in
 * its environment and may be missing in that of this command. Also `sluice config`: whether the gateway would start
 * with a file, without starting anything, and the schema of it, which `config/schema.yaml` has.
 */
import { COMMAND_LINE } from '#access/member.ts';
import { type LoggedChange, newestChanges } from '#accounts/change-log.ts';
import { type Clock, pause } from '#base/clock.ts';
import { formatPrice, formatUsd, type PriceNano } from '#base/money.ts';
import { type Config, fileRefusal } from '#config/config.ts';
import { tokenPrices } from '#ledger/tariff.ts';
import type { Listing } from '#market/listing.ts';
import type { Database } from '#storage/database/database.ts';
import { pidHere } from '#storage/database/process.ts';
import { reportLeases } from '#storage/leases/report.ts';
import { type OperatorStore, withoutPassword } from './operator-store.ts';
import { CommandError, type CommandResult, facts, good, table } from './output.ts';

const WAIT_MS = 10_000;
const POLL_MS = 100;
/** Far more than change while this command waits. */
const NEWEST = 100;

/** Exits 1 when a file is wrong, or no gateway answers. */
export async function reloadGateways({ db }: OperatorStore, clock: Clock): Promise<CommandResult> {
  const pids = (await holdersOf(db)).flatMap((holder) => pidHere(holder) ?? []);
  if (pids.length === 0) throw new CommandError('No gateway of this database runs on this machine.');
  const [last] = await newestChanges(db, { accountId: null, limit: 1 });
  for (const pid of pids) signal(pid);
  const answers = await answersAfter(last?.id ?? '', pids, { db, clock });
  const late = pids.filter((pid) => !answers.some(({ subject }) => subject === subjectOf(pid)));
  const json = answers.map(({ subject, after }) => ({ gateway: subject, ...after, ...sentenceOf(after) }));
  const lines = answers.map(textOf);
  for (const pid of late) lines.push(`${subjectOf(pid)} has not answered in ${WAIT_MS / 1000} s: look at its log.`);
  const isWrong = late.length > 0 || json.some((answer) => 'refused' in answer);
  return { json: { gateways: json, late: late.map(subjectOf) }, text: lines.join('\n'), exitCode: isWrong ? 1 : 0 };
}

/** The processes that serve a database, as they wrote themselves down. */
async function holdersOf(db: Database): Promise<string[]> {
  const leases = await reportLeases(db);
  return leases.flatMap(({ name, process }) => (name.startsWith('gateway:') && process !== null ? [process] : []));
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGHUP');
  } catch {
    throw new CommandError(`Process ${pid} cannot be signaled: run this as the user of the gateway.`);
  }
}

async function answersAfter(
  lastId: string,
  pids: readonly number[],
  { db, clock }: { readonly db: Database; readonly clock: Clock },
): Promise<LoggedChange[]> {
  const subjects = pids.map(subjectOf);
  const untilMs = clock.monotonicMs() + WAIT_MS;
  for (;;) {
    const newest = await newestChanges(db, { accountId: null, limit: NEWEST });
    const answers = newest.filter(
      ({ id, who, what, subject }) =>
        id > lastId && who === COMMAND_LINE && what === 'configuration.reload' && subjects.includes(subject),
    );
    if (answers.length >= pids.length || clock.monotonicMs() >= untilMs) return answers.reverse();
    await pause(clock, POLL_MS);
  }
}

function subjectOf(pid: number): string {
  return `process ${pid}`;
}

/**
 * The sentence about the line at which the gateway refused the file, if this process refuses the file for the same line. The
 * audit log has no sentence: it may repeat a secret that was written in the wrong place.
 */
function sentenceOf(after: object | null): { readonly sentence?: string } {
  const place = after !== null && 'refused' in after ? String(after.refused) : null;
  const file = /^(.+):\d+$/.exec(place ?? '')?.[1];
  if (file === undefined) return {};
  // The keys of pods may be in the environment of the gateway alone.
  const refusals = [fileRefusal(file), fileRefusal(file, { assumingKeys: true })];
  const sentence = refusals.find((refusal) => refusal?.startsWith(`${place}: `));
  return sentence ? { sentence } : {};
}

/** The shape is that of `noteReload` in service/reload.ts. */
function textOf({ subject, after }: LoggedChange): string {
  const { refused, ...names } = after as { refused?: string } & Readonly<Record<string, readonly string[] | undefined>>;
  if (refused !== undefined) {
    const { sentence = `${refused} is wrong; the log of the gateway says how.` } = sentenceOf(after);
    return `${subject}: nothing has changed. ${sentence}`;
  }
  const done = (['added', 'removed', 'changed'] as const).flatMap((what) =>
    names[what]?.length ? [`${what} ${names[what].join(', ')}`] : [],
  );
  const lines = [`${subject}: ${done.join('; ') || 'nothing to change'}.`];
  if (names.needs_restart?.length) lines.push(`${subject}: needs a restart for ${names.needs_restart.join(', ')}.`);
  return lines.join('\n');
}

/** Reports what a valid configuration would sell, and which of its settings are allowed but seldom intended. */
export function checkedConfig(config: Config): CommandResult {
  const { fileName, listings, pods } = config;
  const served = new Set(pods.map(({ model }) => model));
  const json = {
    ok: true,
    file: fileName,
    models: listings.all.map(({ id }) => id),
    pods: pods.map(({ id }) => id),
    warnings: listings.all
      .filter(({ id, deprecated, preview }) => !deprecated && !preview && !served.has(id))
      .map(({ id }) => `${id} has no pods: its orders wait until they expire`),
  };
  const lines = [
    ['models', json.models.join(', ')],
    ['pods', json.pods.join(', ') || 'none'],
    ['database', withoutPassword(config.databaseUrl)],
    ...json.warnings.map((warning) => ['note', warning] as const),
  ] as const;
  const rows = listings.all.flatMap(priceRows);
  const prices = table(['MODEL', '', 'LEVEL', 'INPUT', 'CACHED', 'OUTPUT'], rows);
  return { json, text: `${good(`${fileName} is right.`)}\n${facts(lines)}\n\nUSD per 1M tokens:\n${prices}` };
}

/** What a million tokens of each kind cost: on a market at its floor, its reserve if it has one, and its ceiling. */
function priceRows({ id, type, tariff, floor, reserve, ceiling }: Listing): string[][] {
  const row = (what: string, level: PriceNano) => {
    const { uncached, cached, output } = tokenPrices(tariff, level);
    return [id, what, type === 'market' ? formatPrice(level) : '', ...[uncached, cached, output].map(formatUsd)];
  };
  if (type === 'fixed') return [row('fixed', 0)];
  return [row('floor', floor), ...(reserve > 0 ? [row('reserve', reserve)] : []), row('ceiling', ceiling)];
}
