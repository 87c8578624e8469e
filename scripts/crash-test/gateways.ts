/**
 * The gateways of a cluster that are harmed: each in a process of its own, reached by the others through a link that can
 * be cut. Whatever was done to them, they serve again in the end, started anew where they have ended.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#testing/free-port.ts';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import type { Owner } from '../books/usage-records.ts';
import { type PeerLink, peerLink } from './peer-link.ts';
import type { PlannedRound } from './plan.ts';
import { type KilledServer, serverOf } from './server.ts';
import { wrongClock } from './wrong-clock.ts';

const AGAIN_MS = 20;
/** How long an order may wait before another asks in its place. */
const ORDER_MS_MAX = 60_000;
/** Far longer than any machine needs: a market that still runs nothing then has lost something. */
const SERVING_MS_MAX = 600_000;
/** What a gateway says that was declared dead while it was paused, or too slow. It ends by itself then. */
const TAKEN_OVER = /Another gateway took over the database/;
/** What it says of an error that nobody thought of: the caller gets a 500. */
const UNEXPECTED = /"level":"?(?:50|error)"?.*(?:an unexpected error|A call of another gateway failed)/;

interface Node {
  readonly site: Site;
  readonly link: PeerLink;
  gateway: GatewayProcess;
  /** How much of its log was searched. */
  searched: number;
}

/** Where they run, and what they sell. */
export interface GatewaysOptions {
  readonly count: number;
  readonly configuration: string;
  readonly databaseUrl: string;
  /** Of both kinds: a gateway serves when it answers a request for each. */
  readonly models: readonly string[];
}

/** The gateways, which share a database and a data folder. */
export class Gateways {
  readonly #nodes: Node[] = [];
  readonly #server: KilledServer;
  readonly #models: readonly string[];
  readonly #findings: string[] = [];

  private constructor(server: KilledServer, models: readonly string[]) {
    this.#server = server;
    this.#models = models;
  }

  /** Resolves when each has started. */
  static async start({ count, configuration, databaseUrl, models }: GatewaysOptions): Promise<Gateways> {
    const gateways = new Gateways(await serverOf(databaseUrl), models);
    try {
      for (let at = 0; at < count; at++) await gateways.#add(configuration);
    } catch (error) {
      await gateways.close();
      throw error;
    }
    return gateways;
  }

  /** One site, for the commands of the operator. */
  get site(): Site {
    return this.#at(0).site;
  }

  get urls(): string[] {
    return this.#nodes.map(({ gateway }) => gateway.url);
  }

  /** What they did wrong since the last call, as sentences. */
  findings(): string[] {
    for (const node of this.#nodes) this.#search(node);
    return this.#findings.splice(0);
  }

  /** Does the harm, and mends it but for gateways that ended by themselves. Says what it did. */
  async harm({ harm, victim, forMs }: PlannedRound): Promise<string> {
    const told = `for ${(forMs / 1000).toFixed(1)} s`;
    if (harm === 'database') {
      await this.#server.restart(forMs);
      return `database ${told}`;
    }
    const node = this.#at(victim);
    await this.#revive(node);
    const { gateway, link } = node;
    switch (harm) {
      case 'kill':
      case 'stop':
        await (harm === 'kill' ? gateway.kill() : gateway.stop());
        await sleep(forMs);
        await this.#startAnew(node);
        break;
      case 'pause':
        process.kill(gateway.pid, 'SIGSTOP');
        await sleep(forMs);
        process.kill(gateway.pid, 'SIGCONT');
        break;
      case 'cut':
        link.cut();
        await sleep(forMs);
        link.cut();
        break;
      default:
        link.state = harm;
        await sleep(forMs);
        link.state = 'open';
    }
    return `${harm} ${victim + 1} ${told}`;
  }

  /**
   * Resolves when each of them has run an order in each market. One that has ended is started again. Rejects when one
   * cannot in ten minutes.
   */
  async allServe(apiKey: string): Promise<void> {
    for (const [at, node] of this.#nodes.entries()) {
      for (const model of this.#models) {
        const deadline = Date.now() + SERVING_MS_MAX;
        do {
          if (Date.now() > deadline) throw new Error(`gateway ${at + 1} ran no order of ${model} in ten minutes`);
          await this.#revive(node);
        } while (!(await runs({ url: node.gateway.url, apiKey }, model)));
      }
    }
  }

  async close(): Promise<void> {
    for (const { gateway, link, site } of this.#nodes) {
      await gateway.kill();
      await link.close();
      site.remove();
    }
  }

  async #add(configuration: string): Promise<void> {
    const port = await freePort();
    const first = this.#nodes[0]?.site.environment.SLUICE_DATA;
    const site = await makeSite(configuration, {
      SLUICE_PEER_ADDRESS: `127.0.0.2:${port}`,
      SLUICE_PEER_BIND: '127.0.0.1',
      SLUICE_PEER_SECRET: 'a secret that only the gateways of this test know',
      ...(first ? { SLUICE_DATA: first } : {}),
      ...wrongClock(this.#nodes.length),
    });
    const link = await peerLink(port, '127.0.0.2', '127.0.0.1');
    this.#nodes.push({ site, link, gateway: await site.start(), searched: 0 });
  }

  async #startAnew(node: Node): Promise<void> {
    this.#search(node);
    node.gateway = await node.site.start();
    node.searched = 0;
  }

  /** A harm may make an order fail; it is no excuse for an error that was not foreseen. */
  #search(node: Node): void {
    const log = node.gateway.log();
    const end = log.lastIndexOf('\n') + 1;
    const lines = log.slice(node.searched, end).split('\n');
    node.searched = end;
    for (const line of lines)
      if (UNEXPECTED.test(line)) this.#findings.push(`gateway ${this.#nodes.indexOf(node) + 1} says ${line}`);
  }

  async #revive(node: Node): Promise<void> {
    if (await node.gateway.lives(0)) return;
    const log = node.gateway.log();
    if (!TAKEN_OVER.test(log))
      this.#findings.push(`gateway ${this.#nodes.indexOf(node) + 1} ended by itself: ${log.slice(-2_000)}`);
    await this.#startAnew(node);
  }

  #at(index: number): Node {
    const node = this.#nodes[index];
    if (!node) throw new Error(`there is no gateway ${index + 1}`);
    return node;
  }
}

/** Whether an order is filled; after a wait, should it not be. */
async function runs({ url, apiKey }: Owner, model: string): Promise<boolean> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(ORDER_MS_MAX),
    body: JSON.stringify({
      ...{ model, messages: [{ role: 'user', content: 'Now?' }], max_tokens: 1, price_limit: 50 },
    }),
  }).catch(() => null);
  await response?.text().catch(() => {});
  if (response?.status === 200) return true;
  await sleep(AGAIN_MS);
  return false;
}
