/** Batches of an account: a file up, a batch, sometimes a cancellation, the files down, and each line in them once. */
import { type BatchAnswer, type BatchEntry, isActive, lineFaults } from '#testing/batch-client.ts';
import { between, chance, pick } from './chance.ts';
import type { Lane } from './lane.ts';
import { count } from './ledger.ts';
import { drawRequest } from './requests.ts';

const POLL_MS = 1000;

/** Runs one batch from its file to the end of its files. */
export async function runBatch(lane: Lane): Promise<void> {
  const customIds = Array.from({ length: between(lane.random, 5, 120) }, (_, index) => `line-${index}`);
  const fileId = await upload(lane, customIds);
  if (fileId === null) return;
  const batch = await create(lane, fileId);
  if (batch === null) return;
  lane.ledger.batches.set(batch.id, customIds);
  if (chance(lane.random, 1 / 5)) {
    await lane.pause(3000);
    await lane.client.call(lane.caller, `/v1/batches/${batch.id}/cancel`, { method: 'POST' });
  }
  await check(lane, await ended(lane, batch.id), customIds);
  if (chance(lane.random, 1 / 3)) await lane.client.call(lane.caller, `/v1/files/${fileId}`, { method: 'DELETE' });
}

async function upload(
  { client, caller, ledger, name, random }: Lane,
  customIds: readonly string[],
): Promise<string | null> {
  const lines = customIds.map((custom_id) => {
    const { body } = drawRequest(random, { shapes: ['chat'], stream: false });
    const { price_lock, stream, max_wait, ...kept } = body as Record<string, unknown>;
    const broken = chance(random, 1 / 50) ? { max_tokens: -1 } : {};
    return JSON.stringify({ custom_id, method: 'POST', url: '/v1/chat/completions', body: { ...kept, ...broken } });
  });
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([lines.join('\n')]), 'input.jsonl');
  const exchange = await client.call(caller, '/v1/files', { method: 'POST', body: form });
  if (exchange.kind !== 'answer' || exchange.status === 503 || exchange.status === 403) return null;
  if (exchange.status === 200) return JSON.parse(exchange.text).id;
  ledger.found(`${name}: an upload was answered ${exchange.status}: ${exchange.text}`);
  return null;
}

async function create(
  { client, caller, ledger, name, random }: Lane,
  input_file_id: string,
): Promise<BatchAnswer | null> {
  const body = { input_file_id, endpoint: '/v1/chat/completions', price_limit: pick(random, [2, 10, 50]) };
  const exchange = await client.call(caller, '/v1/batches', { method: 'POST', body });
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

async function ended({ client, caller, ledger, name, pause }: Lane, id: string): Promise<BatchAnswer | null> {
  for (;;) {
    const answer = await client.ask(caller, `/v1/batches/${id}`);
    if (answer?.status !== 200) {
      ledger.found(`${name}: reading batch ${id} is answered ${answer?.status}: ${answer?.text}`);
      return null;
    }
    const batch: BatchAnswer = JSON.parse(answer.text);
    if (!isActive(batch)) return batch;
    await pause(POLL_MS);
  }
}

async function check(lane: Lane, batch: BatchAnswer | null, customIds: readonly string[]): Promise<void> {
  if (batch === null) return;
  const { ledger, name, caller } = lane;
  const output = await entries(lane, batch.output_file_id);
  const errors = await entries(lane, batch.error_file_id);
  if (!['completed', 'cancelled'].includes(batch.status))
    ledger.found(`${name}: batch ${batch.id} is ${batch.status}: ${JSON.stringify(batch.errors)}`);
  for (const fault of lineFaults({ batch, output, errors, customIds }))
    ledger.found(`${name}: batch ${batch.id}: ${fault}`);
  for (const { response } of output) {
    const charge = response?.body.usage.x_market;
    if (!charge) continue;
    const receipt = { orderId: charge.order_id, chargedUsd: charge.charged_usd };
    ledger.tell({
      account: caller.account,
      lane: `${name}, lines`,
      answer: 'line',
      orderId: charge.order_id,
      receipt,
      meaning: 'charged',
    });
  }
  for (const { error } of errors) count(ledger.answers, `line ${error?.code}`);
}

async function entries({ client, caller, ledger, name }: Lane, fileId: string | null): Promise<BatchEntry[]> {
  if (fileId === null) return [];
  const answer = await client.ask(caller, `/v1/files/${fileId}/content`);
  if (answer?.status === 200 && answer.text.endsWith('\n'))
    return answer.text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line));
  ledger.found(`${name}: the content of ${fileId} is answered ${answer?.status}: ${answer?.text.slice(-100)}`);
  return [];
}
