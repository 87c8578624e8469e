/**
 * Three hundred calls of a program through a gateway that fails on purpose and is killed twice, and what the ledger says
 * afterwards: a call that returned has one order and one charge, and what an error says of order and charge is true.
 * sdk-tests/README.md says what the program reads and prints. The price limit of a call is its own, so the bid of an
 * order in the ledger names the call, whatever the client says.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed, runCommand, type ShellCommand } from './command.ts';
import { openFailingGateway, type SpoiledRequest } from './failing-gateway.ts';
import { openSdkGateway } from './sdk-gateway.ts';

/** A line that the program reads. */
export interface AskedCall {
  readonly call: number;
  readonly how: 'result' | 'stream' | 'complete' | 'cancel';
  readonly model: string;
  readonly priceLimit: string;
  readonly store: boolean;
  readonly simulate: object;
  /** Seconds for which the order may wait for its start; null for the default. */
  readonly maxWait: number | null;
  /** Milliseconds that each step of the call may take; null for as long as needed. */
  readonly timeoutMs: number | null;
}

/** A line that the program prints. */
export interface PrintedCall {
  readonly call: number;
  readonly returned: boolean;
  readonly orderId: string | null;
  readonly charged: boolean | null;
  /** USD in plain digits; of a call that returned. */
  readonly chargedUsd?: string | null;
  readonly error: string | null;
}

/** An order as its owner reads it. */
export interface LedgerOrder {
  readonly id: string;
  readonly status: string;
  readonly model: string;
  readonly bid: number;
  readonly usage: { readonly charged_usd: number } | null;
}

const CALLS = 300;
const RATE = 0.2;
/** So many requests have come when the gateway is killed. */
const KILLED_AT = [250, 600];
/**
 * At most so many may not learn whether they were charged, while the gateway is there: a page, a redirect and a wait for a
 * day end a call at once, and its order may not have ended by then.
 */
const UNKNOWN_SHARE_MAX = 0.15;
const QUICK = { output_tokens: 12, first_token_ms: 20, token_ms: 4 };
const NANO = 1e9;
const POLL_MS = 100;

/** The calls, in order: each kind at fixed places, so that all programs take the same. */
export function askedCalls(): readonly AskedCall[] {
  return Array.from({ length: CALLS }, (_, call) => {
    const [how, more] = KINDS[call % KINDS.length] ?? ['result', {}];
    const own = { model: 'tide', priceLimit: limitOf(call), store: true, simulate: QUICK };
    return { call, how, ...own, ...{ maxWait: null, timeoutMs: null }, ...more };
  });
}

const UNSERVED = { output_tokens: 5, first_token_ms: 20, fail: 'before-output' };
const KINDS: readonly (readonly [AskedCall['how'], Partial<AskedCall>])[] = [
  ['result', {}],
  ['stream', {}],
  ['complete', {}],
  ['result', { store: false }],
  ['stream', {}],
  ['result', { simulate: UNSERVED }],
  ['complete', { store: false }],
  ['cancel', { model: 'narrows' }],
  ['complete', { simulate: UNSERVED }],
  ['result', { model: 'nowhere' }],
  ['result', { model: 'narrows', maxWait: 1 }],
  ['result', { timeoutMs: 600 }],
];

function limitOf(call: number): string {
  return (2 + call / 1000).toFixed(3);
}

/**
 * Runs a program behind a gateway that fails. Throws CommandFailed with a sentence for everything that it said and that
 * the ledger does not confirm. Returns how many calls returned, raised, and could not learn whether they were charged.
 */
export async function playCalls(command: ShellCommand, seed: number): Promise<string> {
  const gateway = await openSdkGateway();
  const folder = await mkdtemp(join(tmpdir(), 'sluice-calls-'));
  let restarted = Promise.resolve();
  const onRequest = (before: number) => {
    if (KILLED_AT.includes(before)) restarted = restarted.then(() => gateway.restart());
  };
  const failing = await openFailingGateway({ target: gateway.url, seed, rate: RATE, onRequest });
  try {
    const asked = askedCalls();
    const file = join(folder, 'calls.jsonl');
    await writeFile(file, asked.map((call) => `${JSON.stringify(call)}\n`).join(''));
    const key = await gateway.openAccount('caller');
    // As people have them: with the path of official clients, and read from a file.
    const settings = { SLUICE_BASE_URL: `${failing.url}/v1/`, SLUICE_KEY: `${key}\n` };
    const env = { ...command.env, ...settings, SLUICE_CALLS: file };
    const printed = await runCommand({ ...command, env });
    await restarted;
    const lines = printedCalls(printed);
    const spoiled = failing.spoiled.map(({ fault, subject }) => ({ fault, subject: callOrOrder(subject ?? '') }));
    const findings = judge({ asked, lines, orders: await endedOrders(gateway.url, key), spoiled });
    findings.push(...(await gateway.audit()));
    if (findings.length > 0) throw new CommandFailed(findings.join('\n'), printed);
    return summaryOf(lines, failing.spoiled.length);
  } finally {
    await failing.close();
    await restarted;
    await gateway.close();
    await rm(folder, { recursive: true });
  }
}

/** The limit in the three digits of `priceLimit`: a client may send `2.09` for `2.090`. */
function callOrOrder(subject: string): string {
  const limit = Number(subject);
  return Number.isNaN(limit) ? subject : limit.toFixed(3);
}

function summaryOf(lines: readonly PrintedCall[], spoiled: number): string {
  const raised = lines.filter(({ returned }) => !returned);
  const unknown = raised.filter(({ charged }) => charged === null);
  const returned = lines.length - raised.length;
  return `${spoiled} requests failed; ${returned} calls returned, ${raised.length} raised, ${unknown.length} unknown`;
}

/** The lines of JSON objects among what a program printed. */
function printedCalls(text: string): readonly PrintedCall[] {
  return text.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as PrintedCall] : []));
}

/** All orders of an account, once none is queued or executing. Those whose cancellation failed are canceled. */
async function endedOrders(url: string, apiKey: string): Promise<readonly LedgerOrder[]> {
  const headers = { authorization: `Bearer ${apiKey}` };
  for (;;) {
    const orders: LedgerOrder[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const address = `${url}/v1/orders?include=usage&limit=500&cursor=${cursor}`;
      const response = await fetch(address, { headers });
      const page = (await response.json()) as { data: LedgerOrder[]; next_cursor: string | null };
      orders.push(...page.data);
      cursor = page.next_cursor;
    }
    const live = orders.filter(({ status }) => status === 'queued' || status === 'executing');
    if (live.length === 0) return orders;
    const waiting = live.filter(({ model }) => model === 'narrows');
    for (const { id } of waiting) await fetch(`${url}/v1/orders/${id}/cancel`, { method: 'POST', headers });
    await sleep(POLL_MS);
  }
}

/** What was asked and said, what is in the ledger, and the requests that failed, each by its order or price limit. */
export interface Evidence {
  readonly asked: readonly AskedCall[];
  readonly lines: readonly PrintedCall[];
  readonly orders: readonly LedgerOrder[];
  readonly spoiled: readonly SpoiledRequest[];
}

/** A sentence for everything that the ledger does not confirm. */
export function judge({ asked, lines, orders, spoiled }: Evidence): string[] {
  const byLimit = Map.groupBy(orders, ({ bid }) => bid.toFixed(3));
  const byCall = Map.groupBy(lines, ({ call }) => call);
  let unknown = 0;
  const findings = asked.flatMap(({ call, priceLimit, timeoutMs }) => {
    const [line, ...more] = byCall.get(call) ?? [];
    if (!line || more.length > 0) return [`Call ${call} was printed ${more.length + (line ? 1 : 0)} times.`];
    const own = byLimit.get(priceLimit) ?? [];
    const subjects = [priceLimit, ...own.map(({ id }) => id)];
    const failed = spoiled.filter(({ subject }) => subjects.includes(subject ?? ''));
    // How long a gateway is away depends on the machine, and what a timeout ends is open.
    const mayBeOpen = timeoutMs !== null || failed.some(({ fault }) => fault === 'down');
    if (line.charged === null && !mayBeOpen) unknown++;
    const isSpoiled = timeoutMs !== null || failed.length > 0;
    const wrong = line.returned ? wrongOfReturned(line, own) : wrongOfRaised(line, own, isSpoiled);
    const ledger = own.map(({ id, status, usage }) => `${id} ${status} ${usage?.charged_usd ?? 'uncharged'}`);
    return wrong.map((sentence) => `${sentence} ${JSON.stringify(line)} [${ledger.join(', ')}]`);
  });
  if (unknown > asked.length * UNKNOWN_SHARE_MAX)
    findings.push(`${unknown} calls could not learn whether they were charged.`);
  const limits = new Set(asked.map(({ priceLimit }) => priceLimit));
  for (const { id, bid } of orders)
    if (!limits.has(bid.toFixed(3))) findings.push(`No call asked for the order ${id}.`);
  return findings;
}

function wrongOfReturned({ orderId, charged, chargedUsd }: PrintedCall, own: readonly LedgerOrder[]): string[] {
  const paid = own.filter(({ usage }) => usage !== null);
  if (paid.length !== 1) return [`A call that returned has ${paid.length} charges.`];
  const wrong: string[] = [];
  if (paid[0]?.id !== orderId) wrong.push('A call that returned names another order.');
  if (charged !== true) wrong.push('A call that returned does not say that it was charged.');
  if (Math.round(Number(chargedUsd) * NANO) !== Math.round((paid[0]?.usage?.charged_usd ?? 0) * NANO))
    wrong.push('A call that returned names another charge.');
  return wrong;
}

function wrongOfRaised({ orderId, charged }: PrintedCall, own: readonly LedgerOrder[], isSpoiled: boolean): string[] {
  const paid = own.filter(({ usage }) => usage !== null);
  const wrong: string[] = [];
  if (paid.length > 1) wrong.push(`A call has ${paid.length} charges.`);
  if (charged === true && paid.length === 0) wrong.push('An error says charged, and the ledger has no charge.');
  if (charged === true && paid[0]?.id !== orderId) wrong.push('An error that says charged names another order.');
  if (charged === false && paid.length > 0) wrong.push('An error says not charged, and the ledger has a charge.');
  if (charged === false && orderId === null && own.length > 0) wrong.push('An error does not name its order.');
  if (charged === null && !isSpoiled) wrong.push('An error does not know the charge, and no request failed.');
  if (orderId !== null && own.every(({ id }) => id !== orderId)) wrong.push('An error names a foreign order.');
  return wrong;
}
