/**
 * The gateways that are harmed: each in a process of its own, reached by the others, if there are any, through a link that
 * can be cut. At the end every gateway serves again; one that has ended is started.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '#testing/free-port.ts';
import { clusterSite, type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { TcpProxy } from '#testing/tcp-proxy.ts';
import { type Caller, Client } from '../harness/client.ts';
import { restartServer } from '../harness/database.ts';
import { Ledger } from '../harness/ledger.ts';
import type { PlannedRound } from './plan.ts';
import { wrongClock } from './wrong-clock.ts';

const AGAIN_MS = 20;
/** What a slow link adds. */
const SLOW_MS = 120;
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
  readonly link: TcpProxy;
  readonly client: Client;
  gateway: GatewayProcess;
  /** How much of its log was searched. */
  searched: number;
}

/** Where they run, and what they sell. */
export interface GatewaysOptions {
  readonly count: number;
  readonly configuration: string;
  /** Of the nodes of one database, which the gateways use in turn. */
  readonly databaseUrls: readonly string[];
  /** Of both kinds: a gateway serves when it answers a request for each. */
  readonly models: readonly string[];
}

/** The gateways; several share the database of DATABASE_URL and a data folder. */
export class Gateways {
  readonly #options: GatewaysOptions;
  readonly #nodes: Node[] = [];
  readonly #findings: string[] = [];
  /** Sends the orders that show that a gateway serves. */
  #prober: Caller = { account: 'prober', apiKey: '' };

  private constructor(options: GatewaysOptions) {
    this.#options = options;
  }

  /** Resolves when each has started. */
  static async start(options: GatewaysOptions): Promise<Gateways> {
    const gateways = new Gateways(options);
    try {
      while (gateways.#nodes.length < options.count) await gateways.#add();
      const { apiKey } = await gateways.site.openAccount('prober', '10000');
      gateways.#prober = { account: 'prober', apiKey };
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

  get urls(): readonly [string, ...string[]] {
    return [this.#at(0).gateway.url, ...this.#nodes.slice(1).map(({ gateway }) => gateway.url)];
  }

  /** What they did wrong since the last call, as sentences. */
  findings(): string[] {
    for (const node of this.#nodes) this.#search(node);
    return this.#findings.splice(0);
  }

  /** Does the harm, and mends it but for gateways that ended by themselves. Says what it did. */
  async harm({ harm, victim, forMs }: PlannedRound): Promise<string> {
    const told = forMs === 0 ? '' : ` for ${(forMs / 1000).toFixed(1)} s`;
    if (harm === 'database') {
      await restartServer(String(this.site.environment.DATABASE_URL), forMs);
      return `database${told}`;
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
        link.delay(harm === 'slow' ? SLOW_MS : Number.POSITIVE_INFINITY, 'toward', 'back');
        await sleep(forMs);
        link.delay(0, 'toward', 'back');
    }
    return `${harm} ${victim + 1}${told}`;
  }

  /**
   * Resolves when each of them has run an order in each market. One that has ended is started again. Rejects when one
   * cannot in ten minutes.
   */
  async allServe(): Promise<void> {
    for (const [at, node] of this.#nodes.entries()) {
      for (const model of this.#options.models) {
        const deadline = Date.now() + SERVING_MS_MAX;
        do {
          if (Date.now() > deadline) throw new Error(`gateway ${at + 1} ran no order of ${model} in ten minutes`);
          await this.#revive(node);
        } while (!(await this.#runs(node, model)));
      }
    }
  }

  async close(): Promise<void> {
    for (const { client, gateway, link, site } of this.#nodes) {
      await client.close();
      await gateway.kill();
      await link.close();
      site.remove();
    }
  }

  async #add(): Promise<void> {
    const link = new TcpProxy();
    const site = await this.#newSite(link);
    const gateway = await site.start();
    const client = new Client(new Ledger(null, { mayBreak: true }), { urls: [gateway.url] });
    this.#nodes.push({ site, link, client, gateway, searched: 0 });
  }

  /** In a cluster the others reach the gateway through `link`. */
  async #newSite(link: TcpProxy): Promise<Site> {
    const { configuration, count } = this.#options;
    if (count === 1) return makeSite(configuration);
    const port = await freePort();
    link.target = { port };
    await link.listen({ host: '127.0.0.2', port });
    const at = { SLUICE_PEER_ADDRESS: `127.0.0.2:${port}`, SLUICE_PEER_BIND: '127.0.0.1' };
    const urls = this.#options.databaseUrls;
    const shared = { databaseUrl: String(urls[this.#nodes.length % urls.length]), beside: this.#nodes[0]?.site };
    return clusterSite(configuration, shared, { ...at, ...wrongClock(this.#nodes.length) });
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

  /** Whether an order is filled; after a wait, should it not be. */
  async #runs({ client }: Node, model: string): Promise<boolean> {
    const body = { model, messages: [{ role: 'user', content: 'Now?' }], max_tokens: 1, price_limit: 50 };
    const leaving = { afterMs: ORDER_MS_MAX };
    const exchange = await client.call(this.#prober, '/v1/chat/completions', { body, leaving });
    if (exchange.kind === 'answer' && exchange.status === 200) return true;
    await sleep(AGAIN_MS);
    return false;
  }
}
