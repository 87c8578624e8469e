/**
 * Gateways under mixed load and a seeded plan of harms: see `plan.ts`. Keys are repeated at other gateways, orders are
 * canceled and repriced through others. After each round every gateway serves again, and the books must agree with all
 * that clients were answered. A batch runs as well, and is killed while its lines are checked, submitted, run and placed.
 * Several gateways share one MariaDB; their clocks are off by up to a second. At no moment may a pod count more requests
 * than it has slots, or have more committed executing orders. How long anything takes is printed and never judged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#base/random.ts';
import {
  cannedReply,
  type MockBackend,
  type MockReply,
  type MockRequest,
  startMockBackend,
} from '#testing/mock-backend.ts';
import { fixedModel, marketModel, selling, unlimited } from '#testing/test-config.ts';
import { openAccounts, type RunAccounts } from '../harness/accounts.ts';
import { runBatch } from '../harness/batches.ts';
import { judge } from '../harness/books.ts';
import { Client } from '../harness/client.ts';
import { keyedOrders } from '../harness/keyed-orders.ts';
import { type Lane, type Lanes, runLanes } from '../harness/lane.ts';
import { Ledger } from '../harness/ledger.ts';
import { leaveBehind, sendDetached, sendPlain } from '../harness/orders.ts';
import { row } from '../harness/table.ts';
import { Gateways } from './gateways.ts';
import { type PlannedRound, planRounds } from './plan.ts';
import { SlotWatch } from './slots.ts';
import { prepareClocks } from './wrong-clock.ts';

/** How often, how many gateways, and by which seed. */
export interface TrialOptions {
  readonly rounds: number;
  readonly gateways: number;
  readonly seed: number;
}

const SLOTS = 6;
/** The last runs on servers, which count what they run; the others on simulated pods. */
const MODELS = ['tide', 'harbor', 'reef'];
const SERVERS = 2;
/** How many pieces an answer of a server ends with, which an engine sends at once: finish, usage, `[DONE]`. */
const LAST = 3;
/** Orders that wait end soon after the load. */
const WISHES = { models: MODELS, simulated: true, maxWaitSeconds: 10 };
/** Lives are short: clients hurry. */
const PACE = 0.1;
/** Enough to be at work when a single gateway is killed, which has nothing else to wait for. */
const BATCH_LINES = { alone: 1_000, cluster: 150 };
/** How long gateways that are too slow to answer are asked again, and how often. */
const ASKING_MS_MAX = 600_000;
const ASK_AGAIN_MS = 1_000;
const WIDTHS = [5, -32, 4, 8, 4, 8, 8, 8, 10, 8];

/** An answer that takes longer than several looks at the slots. Every tenth breaks before it begins and is tried again. */
function answerOf(_: MockRequest, count: number): MockReply {
  if (count % 10 === 9) return { writes: [], instead: 'reset' };
  const { writes } = cannedReply({ chunks: 5 });
  const end = Buffer.concat(writes.slice(-LAST).map((write) => Buffer.from(write)));
  return { writes: [...writes.slice(0, -LAST), end], write: 'each', delayMs: 30 };
}

function configurationOf(servers: readonly MockBackend[]): string {
  const pods = servers.map(({ url }, index) => ({ id: `reef-${index + 1}`, url, slots: SLOTS }));
  return selling(
    [
      { ...marketModel('tide', SLOTS, SLOTS), context_length: 131_072 },
      { ...fixedModel('harbor', SLOTS), context_length: 131_072 },
      { ...marketModel('reef'), context_length: 131_072, pods },
    ],
    { limits: unlimited },
  );
}

const line = {
  ...{ model: 'tide', messages: [{ role: 'user', content: 'Say a few words about rivers.' }], max_tokens: 3 },
  x_simulate: { first_token_ms: 15, token_ms: 4 },
};

/** Runs the rounds and returns the number of findings. */
export async function killUnderLoad({ rounds, gateways: count, seed }: TrialOptions): Promise<number> {
  const databaseUrls = process.env.DATABASE_URL?.split(' ') ?? [];
  const [databaseUrl] = databaseUrls;
  const isCluster = count > 1;
  if (isCluster && !databaseUrl)
    throw new Error('Several gateways need a server: scripts/with-mariadb npm run crash-test …');
  if (isCluster) console.log(prepareClocks());
  const plan = planRounds({ rounds, gateways: count, random: seededRandom(seed) });
  console.log(`round  ${'harm'.padEnd(32)}  sent  receipts  keys  accepted  canceled  repriced  back after  findings`);
  // What is done to a cluster breaks connections at any time.
  const ledger = new Ledger(null, { mayBreak: isCluster });
  const pods = await Promise.all(
    Array.from({ length: SERVERS }, () => startMockBackend({ record: false, reply: answerOf })),
  );
  const gateways = await Gateways.start({ count, configuration: configurationOf(pods), databaseUrls, models: MODELS });
  const slots = new SlotWatch({ slots: SLOTS, pods, databaseUrl: isCluster ? String(databaseUrl) : null });
  try {
    const accounts = await openAccounts(gateways.site, { plain: {}, keyed: {}, detached: {}, batches: {} });
    return await new Trial({ gateways, slots, ledger, accounts, seed }).run(plan);
  } finally {
    await slots.close();
    await gateways.close();
    for (const pod of pods) await pod.close();
  }
}

interface TrialParts {
  readonly gateways: Gateways;
  readonly slots: SlotWatch;
  readonly ledger: Ledger;
  readonly accounts: RunAccounts<'plain' | 'keyed' | 'detached' | 'batches'>;
  readonly seed: number;
}

/** The rounds. */
class Trial {
  readonly #parts: TrialParts;
  /** Of each gateway one. */
  readonly #clients: readonly Client[];
  readonly #first: Client;
  readonly #keys = keyedOrders();

  constructor(parts: TrialParts) {
    this.#parts = parts;
    const { urls } = parts.gateways;
    const clientOf = (url: string) =>
      new Client(parts.ledger, { urls: [url, ...urls.filter((other) => other !== url)] });
    this.#first = clientOf(urls[0]);
    this.#clients = [this.#first, ...urls.slice(1).map(clientOf)];
  }

  async run(plan: readonly PlannedRound[]): Promise<number> {
    const { gateways, slots, ledger } = this.#parts;
    for (const [at, planned] of plan.entries()) {
      const before = this.#counts();
      const { harm, backMs } = await this.#harmUnderLoad(at, planned);
      await this.#judge();
      for (const finding of [...slots.findings(), ...gateways.findings()]) ledger.found(finding);
      const [findings = 0, ...counts] = this.#counts().map((count, column) => count - (before[column] ?? 0));
      console.log(row(WIDTHS, [at + 1, harm, ...counts, `${backMs} ms`, findings]));
    }
    const { charges, keys, findings } = ledger;
    const looked = `the slots were looked at ${slots.looks} times, at most ${slots.most} of ${SLOTS} ran; `;
    const verdict = findings.length === 0 ? 'each is in the books' : `${findings.length} findings`;
    console.log(`${charges.size} receipts were received and ${keys.size} keys sent; ${looked}${verdict}`);
    return findings.length;
  }

  #counts(): number[] {
    const { findings, total, answers, charges, keys, accepted, canceled, lanes } = this.#parts.ledger;
    const repriced = (lanes.get('detached, repriced') ?? 0) + (lanes.get('left behind, repriced') ?? 0);
    const sizes = [charges, keys, accepted, canceled].map(({ size }) => size);
    return [findings.length, total - (answers.get('down') ?? 0), ...sizes, repriced];
  }

  /** The load ends once every gateway can serve what was begun. Says what was done, and how long the return took. */
  async #harmUnderLoad(round: number, planned: PlannedRound): Promise<{ harm: string; backMs: number }> {
    const { gateways, ledger, seed, accounts } = this.#parts;
    let isOver = false;
    const ended = this.#clients.map((client, at) => {
      const lanesSeed = 1_000_000 * seed + 1000 * round + at;
      const field = { client, ledger, seed: lanesSeed, wishes: WISHES, pace: PACE, isOver: () => isOver };
      return runLanes(field, this.#lanes(at));
    });
    await sleep(planned.lifeMs);
    ledger.killing();
    const harm = await gateways.harm(planned);
    isOver = true;
    const beginMs = Date.now();
    await gateways.allServe();
    const backMs = Date.now() - beginMs;
    await Promise.all(ended);
    await this.#keys.repeatAll({ client: this.#first, ledger, caller: accounts.keyed, name: 'keyed, repeated' });
    return { harm: `${harm} after ${(planned.lifeMs / 1000).toFixed(1)} s`, backMs };
  }

  /** One gateway gets all the load that several share. */
  #lanes(at: number): Lanes[] {
    const { plain, keyed, detached, batches } = this.#parts.accounts;
    const isCluster = this.#clients.length > 1;
    const bodies = new Array<object>(BATCH_LINES[isCluster ? 'cluster' : 'alone']).fill(line);
    const batch = (lane: Lane) => runBatch(lane, { bodies, priceLimit: 5 });
    return [
      { name: 'plain', count: isCluster ? 12 : 24, caller: plain, pauseMs: 0, once: (lane) => sendPlain(lane) },
      { name: 'keyed', count: isCluster ? 4 : 8, caller: keyed, pauseMs: 0, once: this.#keys.send },
      { name: 'detached', count: isCluster ? 1 : 2, caller: detached, pauseMs: 20, once: (lane) => sendDetached(lane) },
      { name: 'left behind', count: isCluster ? 1 : 2, caller: detached, pauseMs: 200, once: leaveBehind },
      { name: 'batches', count: at === 0 ? 1 : 0, caller: batches, pauseMs: 500, once: batch },
    ];
  }

  /** Looks again while a gateway is too slow to say. */
  async #judge(): Promise<void> {
    const { gateways, ledger, accounts } = this.#parts;
    const deadline = Date.now() + ASKING_MS_MAX;
    for (;;) {
      try {
        await judge({ site: gateways.site, client: this.#first, ledger, accounts: Object.values(accounts) });
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await sleep(ASK_AGAIN_MS);
        await gateways.allServe();
      }
    }
  }
}
