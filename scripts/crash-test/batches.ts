/**
 * Kills the gateway repeatedly during a batch of ten thousand lines: while lines are checked, submitted and placed. In
 * the end each line is in exactly one of the two files, once, was charged once, and the audit is clean.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#base/random.ts';
import { type BatchAnswer, isActive } from '#testing/batch-files.ts';
import { fixedModel, marketModel, selling, unlimited } from '#testing/test-config.ts';
import { openAccounts } from '../harness/accounts.ts';
import { runBatch } from '../harness/batches.ts';
import { judge } from '../harness/books.ts';
import { between } from '../harness/chance.ts';
import { type Caller, Client } from '../harness/client.ts';
import { runLanes } from '../harness/lane.ts';
import { Ledger } from '../harness/ledger.ts';
import { row } from '../harness/table.ts';
import { Gateways } from './gateways.ts';
import type { TrialOptions } from './trial.ts';

const LINES = 10_000;
/** Slots of the pods: few enough for a batch to outlast most of fifty kills. */
const SLOTS = 10;
const LIFE_MS_MAX = 1800;
/** The first rounds kill earlier, to hit the short first phases. */
const EARLY = { rounds: 8, lifeMsMax: 250 };
const WIDTHS = [5, 12, 12, 5, 9, 6, 8, 7];

const CONFIGURATION = selling([marketModel('tide', SLOTS), fixedModel('harbor', SLOTS)], { limits: unlimited });

const bodies = Array.from({ length: LINES }, (_, index) => ({
  model: index % 2 === 0 ? 'tide' : 'harbor',
  messages: [{ role: 'user', content: `Say a few words about river ${index}.` }],
  max_tokens: 6,
  x_simulate: { first_token_ms: 15, token_ms: 4 },
}));

/** Runs the rounds and returns the number of findings. */
export async function killDuringBatches(options: Omit<TrialOptions, 'gateways'>): Promise<number> {
  console.log('round  killed after  status        total  completed  active  to place  restart');
  const gateways = await Gateways.start({ count: 1, configuration: CONFIGURATION, models: [] });
  try {
    return await runRounds(gateways, options);
  } finally {
    await gateways.close();
  }
}

async function runRounds(gateways: Gateways, { rounds, seed }: Omit<TrialOptions, 'gateways'>): Promise<number> {
  const { site } = gateways;
  const { batches: caller } = await openAccounts(site, { batches: {} });
  const ledger = new Ledger(null);
  const random = seededRandom(seed);
  const client = new Client(ledger, { urls: gateways.urls });
  let isOver = false;
  // On a machine that is too fast for one batch, another follows.
  const ended = runLanes({ client, ledger, seed, isOver: () => isOver }, [
    { name: 'batches', count: 1, caller, pauseMs: 0, once: (lane) => runBatch(lane, { bodies, priceLimit: 5 }) },
  ]);
  const newest = () => newestBatch(client, caller, ledger);
  for (let round = 1; round <= rounds; round++) {
    for (let batch = await newest(); !batch || !isActive(batch); batch = await newest()) await sleep(10);
    const lifeMs = between(random, 0, round <= EARLY.rounds ? EARLY.lifeMsMax : LIFE_MS_MAX);
    await sleep(lifeMs);
    ledger.killing();
    const beginMs = Date.now();
    await gateways.harm({ harm: 'kill', victim: 0, lifeMs, forMs: 0 });
    const restartMs = Date.now() - beginMs;
    const batch = await newest();
    if (batch) console.log(row(WIDTHS, [round, `${lifeMs} ms`, ...cellsOf(batch), `${restartMs} ms`]));
  }
  isOver = true;
  await ended;
  const { orders } = await judge({ site, client, ledger, accounts: [caller] });
  for (const finding of gateways.findings()) ledger.found(finding);
  const batches = ledger.batches.size;
  const answered = `${ledger.charges.size} of ${batches * LINES} lines answered and charged once`;
  console.log(`${batches} batches, ${answered}; ${orders} orders`);
  return ledger.findings.length;
}

/** Null before there is one. */
async function newestBatch(client: Client, caller: Caller, ledger: Ledger): Promise<BatchAnswer | null> {
  const id = [...ledger.batches.keys()].at(-1);
  if (id === undefined) return null;
  const answer = await client.ask(caller, `/v1/batches/${id}`);
  return JSON.parse(answer?.text ?? 'null');
}

function cellsOf({ status, request_counts, x_market }: BatchAnswer): (string | number)[] {
  return [status, request_counts.total, request_counts.completed, x_market.active, x_market.pending_result];
}
