/**
 * Several gateways on one MariaDB under a seeded plan of faults: kills, pauses of 1 to 20 s, cut and half-open links,
 * slow links, and kills of the database; their clocks are off by up to a second. Under mixed load, with keys that are repeated at other gateways, cancels and reprices through others, and a
 * batch. After each round every gateway serves again, and the books must agree with all that clients were told; at no
 * moment did a pod have more committed executing orders than slots.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#base/random.ts';
import { BatchClient, faultsOf } from '#testing/batch-client.ts';
import { freePort, type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { fixedModel, marketModel, selling } from '#testing/test-config.ts';
import { audited, stillHeld } from '../books/audit.ts';
import type { KnownReceipt } from '../books/receipt.ts';
import { compareReceipts, type Owner, untilIdle } from '../books/usage-records.ts';
import { compareKeys, Keys } from './keys.ts';
import { type Load, startLoad } from './load.ts';
import { Meddlers } from './meddlers.ts';
import { type PeerLink, peerLink } from './peer-link.ts';
import { type KilledServer, serverOf } from './server.ts';
import { watchSlots } from './slots.ts';
import { clockSentence, wrongClock } from './wrong-clock.ts';

const SLOTS = 6;
const CREDIT_USD = 1000;
const CLIENTS = 12;
const KEYED_CLIENTS = 4;
const MEDDLERS = 3;
const BATCH_LINES = 150;
const LIFE_MS = { least: 400, most: 3_000 };
const PAUSE_MS = { least: 1_000, most: 20_000 };

const CONFIGURATION = selling([marketModel('tide', SLOTS, SLOTS), fixedModel('harbor', SLOTS)], {
  limits: {
    inference_requests_per_minute_per_key: 10_000_000,
    account_operations_per_minute_per_account: 10_000_000,
    public_requests_per_minute_per_address: 10_000_000,
  },
});

const faults = ['kill', 'pause', 'cut', 'silent', 'slow', 'stop', 'database'] as const;
type Fault = (typeof faults)[number];

/** One gateway of the cluster, which is started again after each of its ends. */
interface Node {
  readonly site: Site;
  readonly link: PeerLink;
  gateway: GatewayProcess;
}

/** Runs the rounds and returns the number of findings. */
export async function killInCluster(options: { gateways: number; rounds: number; random: Random }): Promise<number> {
  if (!process.env.DATABASE_URL)
    throw new Error('Several gateways need a server: scripts/with-mariadb npm run crash-test …');
  console.log(clockSentence());
  console.log('round  fault                 sent  receipts  keys  accepted  canceled  repriced  back after  findings');
  const nodes: Node[] = [];
  const sites = await makeSites(options.gateways);
  try {
    for (const { site, link } of sites) nodes.push({ site, link, gateway: await site.start() });
    const server = await serverOf(process.env.DATABASE_URL);
    return await new Trial(nodes, server, options.random).run(options.rounds);
  } finally {
    for (const { gateway } of nodes) await gateway.kill();
    for (const { site, link } of sites) {
      await link.close();
      site.remove();
    }
  }
}

/** Sites that share a database and a data folder; each is reached by the others through its link on 127.0.0.2. */
async function makeSites(count: number) {
  const sites: { site: Site; link: PeerLink }[] = [];
  for (let at = 0; at < count; at++) {
    const port = await freePort();
    const first = sites[0]?.site.environment.SLUICE_DATA;
    const site = await makeSite(CONFIGURATION, {
      SLUICE_PEER_ADDRESS: `127.0.0.2:${port}`,
      SLUICE_PEER_BIND: '127.0.0.1',
      SLUICE_PEER_SECRET: 'a secret that only the gateways of this test know',
      ...(first ? { SLUICE_DATA: first } : {}),
      ...wrongClock(at),
    });
    sites.push({ site, link: await peerLink(port, '127.0.0.2', '127.0.0.1') });
  }
  return sites;
}

/** The rounds of one cluster. */
class Trial {
  readonly #nodes: readonly Node[];
  readonly #server: KilledServer;
  readonly #random: Random;
  readonly #keys: Keys;
  readonly #meddlers: Meddlers;
  readonly #known: KnownReceipt[] = [];

  constructor(nodes: readonly Node[], server: KilledServer, random: Random) {
    this.#nodes = nodes;
    this.#server = server;
    this.#random = random;
    this.#keys = new Keys(random);
    this.#meddlers = new Meddlers(random);
  }

  async run(rounds: number): Promise<number> {
    const [apiKey, keyedApiKey, othersApiKey, batchApiKey] = [
      await this.#openAccount(),
      await this.#openAccount(),
      await this.#openAccount(),
      await this.#openAccount(),
    ];
    const slots = await watchSlots(process.env.DATABASE_URL ?? '', SLOTS);
    let findings = 0;
    for (let round = 1; round <= rounds; round++) {
      const loads = this.#nodes.map(({ gateway }) => this.#load(gateway.url, apiKey));
      const keyed = this.#nodes.map(({ gateway }) =>
        this.#keys.load({ url: gateway.url, apiKey: keyedApiKey }, KEYED_CLIENTS),
      );
      let stopped = false;
      const owners = this.#nodes.map(({ gateway }) => ({ url: gateway.url, apiKey: othersApiKey }));
      const meddling = this.#meddlers.run(owners, MEDDLERS, () => stopped);
      const batch = await this.#startBatch(batchApiKey).catch(() => null);
      await sleep(this.#between(LIFE_MS));
      const fault = this.#pick(faults);
      const victim = this.#pick(this.#nodes);
      const told = await this.#inflict(fault, victim);
      stopped = true;
      for (const load of loads) load.stop();
      for (const keys of keyed) keys.stop();
      await Promise.all([...loads.map(({ ended }) => ended), ...keyed.map(({ ended }) => ended), meddling]);
      for (const load of loads) this.#known.push(...load.receipts);
      const backMs = await this.#allServe(othersApiKey);
      const { url } = this.#pick(this.#nodes).gateway;
      const { accepted, canceled } = this.#meddlers.counts;
      const wrong = [
        ...(await this.#keys.settle({ url, apiKey: keyedApiKey })),
        ...(await compareKeys({ url, apiKey: keyedApiKey }, this.#keys.orders)),
        ...(await this.#meddlers.compare({ url, apiKey: othersApiKey })),
        ...(batch ? await this.#checkBatch(batch, { url, apiKey: batchApiKey }) : []),
        ...(await this.#check({ url, apiKey })),
        ...slots.findings(),
      ];
      findings += wrong.length;
      const sum = (of: (load: Load) => number) => loads.reduce((total, load) => total + of(load), 0);
      const counts = [sum(({ sent }) => sent), sum(({ receipts }) => receipts.length), this.#keys.orders.size];
      console.log(
        row([round, told, ...counts, accepted, canceled, this.#meddlers.repriced, `${backMs} ms`, wrong.length]),
      );
      for (const sentence of wrong) console.log(`       ${sentence}`);
    }
    await slots.close();
    console.log(
      `${this.#known.length} receipts were received and ${this.#keys.orders.size} keys sent; the slots were looked at ` +
        `${slots.looks} times; ${findings === 0 ? 'each is in the books' : `${findings} findings`}`,
    );
    return findings;
  }

  /** Does the harm and mends it; every gateway is started again, and every link open. Says what it did. */
  async #inflict(fault: Fault, victim: Node): Promise<string> {
    const name = this.#nodes.indexOf(victim) + 1;
    const { link, site } = victim;
    if (fault === 'kill' || fault === 'stop') {
      await (fault === 'kill' ? victim.gateway.kill() : victim.gateway.stop());
      await sleep(this.#between({ least: 0, most: 2_000 }));
      victim.gateway = await site.start();
      return `${fault} ${name}`;
    }
    if (fault === 'database') {
      const awayMs = this.#between({ least: 0, most: 4_000 });
      await this.#server.restart(awayMs);
      return `database for ${(awayMs / 1000).toFixed(1)} s`;
    }
    const forMs = this.#between(fault === 'cut' ? { least: 0, most: 500 } : PAUSE_MS);
    if (fault === 'pause') {
      const { pid } = victim.gateway;
      process.kill(pid, 'SIGSTOP');
      await sleep(forMs);
      process.kill(pid, 'SIGCONT');
      // Declared dead meanwhile, it ends by itself.
      if (!(await victim.gateway.lives(2_000))) victim.gateway = await site.start();
    } else if (fault === 'cut') {
      link.cut();
      await sleep(forMs);
      link.cut();
    } else {
      link.state = fault;
      await sleep(forMs);
      link.state = 'open';
    }
    return `${fault} ${name} for ${(forMs / 1000).toFixed(1)} s`;
  }

  /** Resolves when every gateway answers a request that needs the market; how long that took. */
  async #allServe(apiKey: string): Promise<number> {
    const beginMs = Date.now();
    for (const node of this.#nodes) {
      if (!(await node.gateway.lives(0))) node.gateway = await node.site.start();
      while (!(await this.#serves({ url: node.gateway.url, apiKey }))) await sleep(20);
    }
    return Date.now() - beginMs;
  }

  async #serves({ url, apiKey }: Owner): Promise<boolean> {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'tide',
        messages: [{ role: 'user', content: 'Now?' }],
        max_tokens: 1,
        price_limit: 50,
      }),
    }).catch(() => null);
    await response?.text();
    return response?.status === 200;
  }

  #load(url: string, apiKey: string) {
    return startLoad({ url, apiKey, models: ['tide', 'harbor'], clients: CLIENTS, random: this.#random });
  }

  async #startBatch(apiKey: string): Promise<{ id: string; customIds: string[] }> {
    const client = new BatchClient(this.#pick(this.#nodes).gateway.url, apiKey);
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
    return { id: (await client.create(await client.upload(lines))).id, customIds };
  }

  async #checkBatch({ id, customIds }: { id: string; customIds: string[] }, owner: Owner): Promise<string[]> {
    const client = new BatchClient(owner.url, owner.apiKey);
    return faultsOf(client, await client.ended(id), customIds);
  }

  async #check(owner: Owner): Promise<string[]> {
    await untilIdle(owner);
    const [{ site }] = this.#nodes as [Node];
    const { findings } = await audited(site);
    return [...findings, ...(await compareReceipts(owner, this.#known, CREDIT_USD)), ...(await stillHeld(site))];
  }

  async #openAccount(): Promise<string> {
    const [{ site }] = this.#nodes as [Node];
    const account = await site.command('account', 'create', 'crash-test', '--credit', String(CREDIT_USD));
    return String((await site.command('key', 'create', String(account.json.account_id))).json.api_key);
  }

  #between({ least, most }: { least: number; most: number }): number {
    return Math.round(least + this.#random.next() * (most - least));
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#random.next() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }
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
