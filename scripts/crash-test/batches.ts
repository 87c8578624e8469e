/**
 * Kills the gateway repeatedly during a batch of ten thousand lines: while lines are checked, submitted and placed. In
 * the end each line is in exactly one of the two files, once, was charged once, and the audit is clean.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#base/random.ts';
import { type BatchAnswer, BatchClient, faultsOf, isActive } from '#testing/batch-client.ts';
import { makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { audited, stillHeld } from '../books/audit.ts';
import { compareReceipts } from '../books/usage-records.ts';

const LINES = 10_000;
const CREDIT_USD = 1000;
/** Slots of the pods: few enough for a batch to outlast most of fifty kills. */
const SLOTS = 10;
const LIFE_MS_MAX = 1800;
/** The first rounds kill earlier, to hit the short first phases. */
const EARLY = { rounds: 8, lifeMsMax: 250 };

const CONFIGURATION = selling([marketModel('tide', SLOTS), fixedModel('harbor', SLOTS)], {
  limits: { account_operations_per_minute_per_account: 10_000_000 },
});

/** Runs the rounds and returns the number of faults. */
export async function killDuringBatches({ rounds, random }: { rounds: number; random: Random }): Promise<number> {
  console.log('round  killed after  status        total  completed  active  to place  restart');
  const site = await makeSite(CONFIGURATION);
  try {
    return await runRounds(site, rounds, random);
  } finally {
    site.remove();
  }
}

async function runRounds(site: Site, rounds: number, random: Random): Promise<number> {
  const apiKey = await openAccount(site);
  let gateway = await site.start();
  const client = new BatchClient(gateway.url, apiKey);
  const customIds = Array.from({ length: LINES }, (_, index) => `request-${index}`);
  const inputFileId = await client.upload(customIds.map(lineOf));
  let batch = await client.create(inputFileId);
  const batches = [batch.id];
  for (let round = 1; round <= rounds; round++) {
    // On a machine that is too fast for one batch, another follows.
    if (!isActive(batch)) batches.push((await client.create(inputFileId)).id);
    const lifeMs = Math.round(random.next() * (round <= EARLY.rounds ? EARLY.lifeMsMax : LIFE_MS_MAX));
    await sleep(lifeMs);
    await gateway.kill();
    const beginMs = Date.now();
    gateway = await site.start();
    const restartMs = Date.now() - beginMs;
    client.url = gateway.url;
    batch = await client.get(batches.at(-1) ?? '');
    console.log(row(round, lifeMs, batch, restartMs));
  }
  const faults: string[] = [];
  const receipts: { orderId: string; chargedUsd: number }[] = [];
  for (const id of batches) {
    const done = await client.ended(id);
    faults.push(...(await faultsOf(client, done, customIds)));
    for (const { response } of await client.entries(done.output_file_id)) {
      const charge = response?.body.usage.x_market;
      if (charge) receipts.push({ orderId: charge.order_id, chargedUsd: charge.charged_usd });
    }
  }
  faults.push(...(await charges({ url: gateway.url, apiKey }, receipts)));
  const { orders, findings } = await audited(site);
  faults.push(...findings, ...(await stillHeld(site)));
  await gateway.stop();
  for (const fault of faults) console.log(fault);
  const lines = batches.length * LINES;
  console.log(
    `${batches.length} batches, ${receipts.length} of ${lines} lines answered and charged once; ${orders} orders`,
  );
  return faults.length;
}

function lineOf(customId: string, index: number): string {
  const body = {
    model: index % 2 === 0 ? 'tide' : 'harbor',
    messages: [{ role: 'user', content: `Say a few words about river ${index}.` }],
    max_tokens: 6,
    x_simulate: { first_token_ms: 15, token_ms: 4 },
  };
  return JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/chat/completions', body });
}

async function openAccount({ command }: Site): Promise<string> {
  await command('migrate');
  const account = await command('account', 'create', 'crash-test', '--credit', String(CREDIT_USD));
  return String((await command('key', 'create', String(account.json.account_id))).json.api_key);
}

/** Checks that each answer is a separate order with the charge that it states, and that nothing else was charged. */
async function charges(
  owner: { url: string; apiKey: string },
  receipts: readonly { orderId: string; chargedUsd: number }[],
): Promise<string[]> {
  const faults = await compareReceipts(owner, receipts, CREDIT_USD);
  const orders = new Set(receipts.map(({ orderId }) => orderId)).size;
  if (orders !== receipts.length) faults.push(`${receipts.length} answers are of ${orders} orders`);
  const response = await fetch(`${owner.url}/v1/usage?limit=1`, {
    headers: { authorization: `Bearer ${owner.apiKey}` },
  });
  const { total_requests } = (await response.json()) as { total_requests: number };
  if (total_requests !== receipts.length) faults.push(`${total_requests} charges for ${receipts.length} answers`);
  return faults;
}

function row(round: number, lifeMs: number, batch: BatchAnswer, restartMs: number): string {
  const { total, completed } = batch.request_counts;
  const { active, pending_result } = batch.x_market;
  const cells = [round, `${lifeMs} ms`, batch.status, total, completed, active, pending_result, `${restartMs} ms`];
  const widths = [5, 12, 12, 5, 9, 6, 8, 7];
  return cells.map((cell, column) => String(cell).padStart(widths[column] ?? 0)).join('  ');
}
