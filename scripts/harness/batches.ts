/** Batches of an account: a file up, a batch, sometimes a cancellation, the files down, and each line in them once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { FormData } from 'undici';
import { receiptIn } from './answers.ts';
import { between, chance, pick } from './chance.ts';
import type { Answered } from './client.ts';
import type { Asker, Lane } from './lane.ts';
import { count } from './ledger.ts';

/** A batch that is to be run. */
export interface BatchPlan {
  /** The bodies of its lines. */
  readonly bodies: readonly object[];
  /** USD. */
  readonly priceLimit: number;
  /** Lines may fail, and the batch may be canceled. */
  readonly mayFail?: boolean;
}

const POLL_MS = 1000;

/** Runs one batch of a few lines, some of them broken, from its file to the end of its files. */
export async function runSmallBatch(lane: Lane): Promise<void> {
  const { random } = lane;
  const bodies = Array.from({ length: between(random, 5, 120) }, () => {
    const { price_lock, stream, max_wait, ...body } = lane.draw({ shapes: ['chat'], stream: false }).body;
    return { ...body, ...(chance(random, 1 / 50) ? { max_tokens: -1 } : {}) };
  });
  await runBatch(lane, { bodies, priceLimit: pick(random, [2, 10, 50]), mayFail: true });
}

/** Runs one batch. */
export async function runBatch(lane: Lane, plan: BatchPlan): Promise<void> {
  const { client, caller, ledger, random } = lane;
  const customIds = plan.bodies.map((_, index) => `line-${index}`);
  const fileId = await upload(lane, plan.bodies.map((body, index) => lineOf(customIds[index], body)).join('\n'));
  if (fileId === null) return;
  const made = await create(lane, fileId, plan);
  if (made === null) return;
  ledger.batches.set(made.id, customIds);
  if (plan.mayFail && chance(random, 1 / 5)) {
    await lane.pause(3000);
    await client.call(caller, `/v1/batches/${made.id}/cancel`, { method: 'POST', elsewhere: true });
  }
  const batch = await ended(lane, made.id);
  if (batch) await check(lane, batch, { ...plan, customIds });
  if (chance(random, 1 / 3)) await client.call(caller, `/v1/files/${fileId}`, { method: 'DELETE' });
}

/** Stores an input file and returns its id; null when the gateway cannot now. */
export async function upload(lane: Asker, text: string): Promise<string | null> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([text]), 'input.jsonl');
  const exchange = await lane.client.call(lane.caller, '/v1/files', { body: form });
  if (exchange.kind !== 'answer' || exchange.status === 503 || exchange.status === 403) return null;
  if (exchange.status === 200) return JSON.parse(exchange.text).id;
  lane.ledger.found(`${lane.name}: an upload was answered ${exchange.status}: ${exchange.text}`);
  return null;
}

function lineOf(custom_id: string | undefined, body: object): string {
  return JSON.stringify({ custom_id, method: 'POST', url: '/v1/chat/completions', body });
}

async function create(lane: Lane, input_file_id: string, { priceLimit }: BatchPlan): Promise<BatchAnswer | null> {
  const { client, caller, ledger, name } = lane;
  const body = { input_file_id, endpoint: '/v1/chat/completions', price_limit: priceLimit };
  const exchange = await client.call(caller, '/v1/batches', { body });
  const told = { account: caller.account, lane: name, orderId: null, receipt: null, meaning: 'nothing' } as const;
  if (exchange.kind === 'answer' && exchange.status === 200) {
    ledger.tell({ ...told, answer: 'batch' });
    return JSON.parse(exchange.text);
  }
  const isDown = exchange.kind === 'down' || (exchange.kind === 'answer' && exchange.status === 403);
  // A batch may have been made whose id nobody learned.
  if (!isDown) count(ledger.blindBatches, caller.account);
  if (exchange.kind === 'answer' && ![403, 503].includes(exchange.status))
    ledger.found(`${name}: a batch was answered ${exchange.status}: ${exchange.text}`);
  return null;
}

async function ended({ client, caller, ledger, name }: Lane, id: string): Promise<BatchAnswer | null> {
  for (;;) {
    const answer = await client.ask(caller, `/v1/batches/${id}`);
    if (answer?.status !== 200) {
      ledger.found(`${name}: reading batch ${id} is answered ${answer?.status}: ${answer?.text}`);
      return null;
    }
    const batch: BatchAnswer = JSON.parse(answer.text);
    if (!isActive(batch)) return batch;
    await sleep(POLL_MS);
  }
}

async function check(
  lane: Lane,
  batch: BatchAnswer,
  { customIds, mayFail = false }: BatchPlan & { readonly customIds: readonly string[] },
): Promise<void> {
  const { ledger, name, caller } = lane;
  const output = await entries(lane, batch.output_file_id);
  const errors = await entries(lane, batch.error_file_id);
  const faults = lineFaults({ batch, output, errors, customIds });
  if (batch.status !== 'completed' && !(mayFail && batch.status === 'cancelled'))
    faults.push(`it is ${batch.status}: ${JSON.stringify(batch.errors)}`);
  if (!mayFail && errors.length > 0) faults.push(`${errors.length} lines failed: ${errors[0]?.error?.code}`);
  for (const fault of faults) ledger.found(`${name}: batch ${batch.id}: ${fault}`);
  const receipts = output.flatMap(({ response }) => receiptIn(response?.body) ?? []);
  if (new Set(receipts.map(({ orderId }) => orderId)).size !== output.length)
    ledger.found(`${name}: batch ${batch.id}: not each of ${output.length} answers is an order with a receipt`);
  for (const receipt of receipts) {
    const told = { account: caller.account, lane: `${name}, lines`, answer: 'line', orderId: receipt.orderId };
    ledger.tell({ ...told, receipt, meaning: 'charged' });
  }
  for (const { error } of errors) count(ledger.answers, `line ${error?.code}`);
}

async function entries(lane: Lane, fileId: string | null): Promise<BatchEntry[]> {
  if (fileId === null) return [];
  const answer: Answered | null = await lane.client.ask(lane.caller, `/v1/files/${fileId}/content`);
  if (answer?.status === 200 && answer.text.endsWith('\n'))
    return answer.text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line));
  lane.ledger.found(
    `${lane.name}: the content of ${fileId} is answered ${answer?.status}: ${answer?.text.slice(-100)}`,
  );
  return [];
}

/** The fields of a batch that these runs read. */
export interface BatchAnswer {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly errors: { readonly data: readonly { readonly message: string }[] } | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
  readonly x_market: { readonly active: number; readonly pending_result: number };
}

/** A line of an output or an error file. */
export interface BatchEntry {
  readonly custom_id: string;
  readonly response: { readonly body: { readonly usage: { readonly x_market: Charge } } } | null;
  readonly error: { readonly code: string } | null;
}

interface Charge {
  readonly order_id: string;
  readonly charged_usd: number;
}

const ACTIVE = new Set(['validating', 'in_progress', 'cancelling']);

/** Whether the batch still has work to do. */
export function isActive({ status }: BatchAnswer): boolean {
  return ACTIVE.has(status);
}

/** A batch that has ended, its two files, and the lines that were sent. */
interface EndedBatch {
  readonly batch: BatchAnswer;
  readonly output: readonly BatchEntry[];
  readonly errors: readonly BatchEntry[];
  readonly customIds: readonly string[];
}

/** What is wrong with the files: each line must be in one of them, once, and the counts must be theirs. */
export function lineFaults({ batch, output, errors, customIds }: EndedBatch): string[] {
  const faults: string[] = [];
  const { total, completed, failed } = batch.request_counts;
  if (total !== customIds.length) faults.push(`the batch counts ${total} lines instead of ${customIds.length}`);
  if (output.length !== completed || errors.length !== failed)
    faults.push(
      `the files have ${output.length} and ${errors.length} lines, the counts say ${completed} and ${failed}`,
    );
  const found = new Map<string, number>();
  for (const { custom_id } of [...output, ...errors]) found.set(custom_id, (found.get(custom_id) ?? 0) + 1);
  const missing = customIds.filter((id) => !found.has(id));
  const doubled = [...found].filter(([, times]) => times > 1);
  if (missing.length > 0) faults.push(`${missing.length} lines are missing, such as ${missing[0]}`);
  if (doubled.length > 0) faults.push(`${doubled.length} lines occur more than once, such as ${doubled[0]?.[0]}`);
  if (found.size > customIds.length) faults.push('there are lines that nobody sent');
  return faults;
}
