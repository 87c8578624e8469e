/**
 * Several gateways on one MariaDB under a seeded plan of harms: see `plan.ts`; their clocks are off by up to a second.
 * Under mixed load, with keys that are repeated at other gateways, cancels and reprices through others, and a batch.
 * After each round every gateway serves again, and the books must agree with all that clients were told; at no moment
 * did a pod have more committed executing orders than slots. How long anything takes is printed and never judged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#base/random.ts';
import { BatchClient, faultsOf } from '#testing/batch-client.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { audited, stillHeld } from '../books/audit.ts';
import type { KnownReceipt } from '../books/receipt.ts';
import { compareReceipts, type Owner, untilIdle } from '../books/usage-records.ts';
import { Gateways } from './gateways.ts';
import { compareKeys, Keys } from './keys.ts';
import { type Load, startLoad } from './load.ts';
import { Meddlers } from './meddlers.ts';
import { type PlannedRound, planRounds } from './plan.ts';
import { type SlotWatch, watchSlots } from './slots.ts';
import { prepareClocks } from './wrong-clock.ts';

const SLOTS = 6;
const CREDIT_USD = 1000;
const CLIENTS = 12;
const KEYED_CLIENTS = 4;
const MEDDLERS = 3;
const BATCH_LINES = 150;
const MODELS = ['tide', 'harbor'];
/** How long a gateway that is too slow to answer is asked again, and how often. */
const ASKING_MS_MAX = 600_000;
const ASK_AGAIN_MS = 1_000;

const CONFIGURATION = selling([marketModel('tide', SLOTS, SLOTS), fixedModel('harbor', SLOTS)], {
  limits: {
    inference_requests_per_minute_per_key: 10_000_000,
    account_operations_per_minute_per_account: 10_000_000,
    public_requests_per_minute_per_address: 10_000_000,
  },
});

/** The keys of four accounts, by what they are used for. */
interface ApiKeys {
  readonly plain: string;
  readonly keyed: string;
  readonly meddled: string;
  readonly batch: string;
}

interface SentBatch {
  readonly id: string;
  readonly customIds: readonly string[];
}

/** Runs the rounds and returns the number of findings. */
export async function killInCluster(options: { gateways: number; rounds: number; random: Random }): Promise<number> {
  const databaseUrl = process.env.DATABASE_URL;
  if (!databaseUrl) throw new Error('Several gateways need a server: scripts/with-mariadb npm run crash-test …');
  const plan = planRounds(options);
  console.log(prepareClocks());
  console.log('round  harm                  sent  receipts  keys  accepted  canceled  repriced  back after  findings');
  const count = options.gateways;
  const gateways = await Gateways.start({ count, configuration: CONFIGURATION, databaseUrl, models: MODELS });
  const slots = await watchSlots(databaseUrl, SLOTS);
  try {
    return await new Trial(gateways, slots, options.random).run(plan);
  } finally {
    await slots.close();
    await gateways.close();
  }
}

/** The rounds of one cluster. */
class Trial {
  readonly #gateways: Gateways;
  readonly #slots: SlotWatch;
  readonly #random: Random;
  readonly #keys: Keys;
  readonly #meddlers: Meddlers;
  readonly #known: KnownReceipt[] = [];

  constructor(gateways: Gateways, slots: SlotWatch, random: Random) {
    this.#gateways = gateways;
    this.#slots = slots;
    this.#random = random;
    this.#keys = new Keys(random);
    this.#meddlers = new Meddlers(random);
  }

  async run(plan: readonly PlannedRound[]): Promise<number> {
    const apiKeys = {
      plain: await this.#openAccount(),
      keyed: await this.#openAccount(),
      meddled: await this.#openAccount(),
      batch: await this.#openAccount(),
    };
    let findings = 0;
    for (const [at, planned] of plan.entries()) {
      const { cells, batch } = await this.#harmUnderLoad(planned, apiKeys);
      const beginMs = Date.now();
      await this.#gateways.allServe(apiKeys.meddled);
      const backMs = Date.now() - beginMs;
      const { accepted, canceled } = this.#meddlers.counts;
      const wrong = await this.#judge(apiKeys, batch);
      findings += wrong.length;
      const changed = [accepted, canceled, this.#meddlers.repriced];
      console.log(row([at + 1, ...cells, ...changed, `${backMs} ms`, wrong.length]));
      for (const sentence of wrong) console.log(`       ${sentence}`);
    }
    console.log(
      `${this.#known.length} receipts were received and ${this.#keys.orders.size} keys sent; the slots were looked at ` +
        `${this.#slots.looks} times; ${findings === 0 ? 'each is in the books' : `${findings} findings`}`,
    );
    return findings;
  }

  async #harmUnderLoad(planned: PlannedRound, apiKeys: ApiKeys) {
    const { urls } = this.#gateways;
    const loads = urls.map((url) =>
      startLoad({ url, apiKey: apiKeys.plain, models: MODELS, clients: CLIENTS, random: this.#random }),
    );
    const keyed = urls.map((url) => this.#keys.load({ url, apiKey: apiKeys.keyed }, KEYED_CLIENTS));
    let stopped = false;
    const owners = urls.map((url) => ({ url, apiKey: apiKeys.meddled }));
    const meddling = this.#meddlers.run(owners, MEDDLERS, () => stopped);
    const batch = await this.#startBatch(apiKeys.batch);
    await sleep(planned.lifeMs);
    const told = await this.#gateways.harm(planned);
    stopped = true;
    for (const load of [...loads, ...keyed]) load.stop();
    await Promise.all([...[...loads, ...keyed].map(({ ended }) => ended), meddling]);
    for (const load of loads) this.#known.push(...load.receipts);
    const sum = (of: (load: Load) => number) => loads.reduce((total, load) => total + of(load), 0);
    const counts = [sum(({ sent }) => sent), sum(({ receipts }) => receipts.length), this.#keys.orders.size];
    return { cells: [told, ...counts], batch };
  }

  /** What is wrong, as sentences; looks again while a gateway is too slow to say. */
  async #judge(apiKeys: ApiKeys, batch: SentBatch): Promise<string[]> {
    const deadline = Date.now() + ASKING_MS_MAX;
    for (;;) {
      try {
        const wrong = await this.#compare(apiKeys, batch);
        return [...wrong, ...this.#slots.findings(), ...this.#gateways.findings()];
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await sleep(ASK_AGAIN_MS);
        await this.#gateways.allServe(apiKeys.meddled);
      }
    }
  }

  async #compare(apiKeys: ApiKeys, batch: SentBatch): Promise<string[]> {
    const url = this.#pick(this.#gateways.urls);
    const owner = (apiKey: string): Owner => ({ url, apiKey });
    const { site } = this.#gateways;
    const wrong = [
      ...(await this.#keys.settle(owner(apiKeys.keyed))),
      ...(await compareKeys(owner(apiKeys.keyed), this.#keys.orders)),
      ...(await this.#meddlers.compare(owner(apiKeys.meddled))),
      ...(await checkBatch(batch, owner(apiKeys.batch))),
    ];
    await untilIdle(owner(apiKeys.plain));
    const compared = await compareReceipts(owner(apiKeys.plain), this.#known, CREDIT_USD);
    return [...wrong, ...(await audited(site)).findings, ...compared, ...(await stillHeld(site))];
  }

  /** Every gateway has just served, so only a slow one fails; what it may have begun then, it ends as any other. */
  async #startBatch(apiKey: string): Promise<SentBatch> {
    const customIds = Array.from({ length: BATCH_LINES }, (_, at) => `request-${at}`);
    const lines = customIds.map((custom_id) =>
      JSON.stringify({
        ...{ custom_id, method: 'POST', url: '/v1/chat/completions' },
        body: {
          ...{ model: 'tide', messages: [{ role: 'user', content: 'Say a few words about rivers.' }], max_tokens: 3 },
          x_simulate: { first_token_ms: 15, token_ms: 4 },
        },
      }),
    );
    const deadline = Date.now() + ASKING_MS_MAX;
    for (;;) {
      const client = new BatchClient(this.#pick(this.#gateways.urls), apiKey);
      try {
        return { id: (await client.create(await client.upload(lines))).id, customIds };
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await sleep(ASK_AGAIN_MS);
      }
    }
  }

  async #openAccount(): Promise<string> {
    const { site } = this.#gateways;
    const account = await site.command('account', 'create', 'crash-test', '--credit', String(CREDIT_USD));
    return String((await site.command('key', 'create', String(account.json.account_id))).json.api_key);
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random.next() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }
}

async function checkBatch({ id, customIds }: SentBatch, { url, apiKey }: Owner): Promise<string[]> {
  const client = new BatchClient(url, apiKey);
  return faultsOf(client, await client.ended(id), customIds);
}

function row(cells: readonly (string | number)[]): string {
  const widths = [5, -20, 4, 8, 4, 8, 8, 8, 10, 8];
  return cells
    .map((cell, column) => {
      const width = widths[column] ?? 0;
      return width < 0 ? String(cell).padEnd(-width) : String(cell).padStart(width);
    })
    .join('  ');
}
