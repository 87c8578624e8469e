/** A gateway that sells the model of a real engine, one account of it, and the receipts that the account was given. */
import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { type GatewayProcess, makeSite, type Site } from '#testing/gateway-process.ts';
import { selling } from '#testing/test-config.ts';
import { eventually } from './engine-process.ts';
import { CONTEXT_LENGTH, SLOTS } from './llama-cpp.ts';

const CREDIT_USD = 100;
const PRICES = { cached: 0.02, uncached: 0.1, output: 0.4 };

/** The usage of an answer, with the receipt that the client's types do not know. */
interface Usage extends OpenAI.CompletionUsage {
  readonly x_market: { readonly order_id: string; readonly charged_usd: number };
}

/** An entry of `GET /v1/usage`. */
export interface UsageRecord {
  readonly order_id: string;
  readonly prompt_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly charged_usd: number;
}

/** What is sold: where a server is, and what differs from llama.cpp's with its small model. */
export interface Engine {
  readonly url: string;
  /** Tokens of a prompt and its answer. */
  readonly contextLength?: number;
}

/** A running gateway, as one account sees it. */
export class EngineGateway {
  readonly #site: Site;
  readonly #process: GatewayProcess;
  readonly key: string;
  readonly openai: OpenAI;

  private constructor(site: Site, gateway: GatewayProcess, key: string) {
    this.#site = site;
    this.#process = gateway;
    this.key = key;
    this.openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
  }

  /** Sells the engine under each of these names, with these settings. Resolves when it is known to be healthy. */
  static async start(engine: Engine, settings: Readonly<Record<string, object>> = {}): Promise<EngineGateway> {
    const [first = modelOver(engine, 'tiny'), ...others] = Object.entries(settings).map(([id, own]) =>
      modelOver(engine, id, own),
    );
    const site = await makeSite(selling([first, ...others]));
    await site.command('migrate');
    const account = await site.command('account', 'create', 'engines', '--credit', String(CREDIT_USD));
    const key = await site.command('key', 'create', String(account.json.account_id));
    const gateway = new EngineGateway(site, await site.start(), String(key.json.api_key));
    await gateway.untilHealthyPods(1 + others.length);
    return gateway;
  }

  /** Asks without a client's help. */
  post(path: string, body: object): Promise<Response> {
    const headers = { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' };
    return fetch(`${this.#process.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async untilHealthyPods(count: number): Promise<void> {
    const healthy = async () => (await this.#get('/healthz')).healthy_pods === count;
    await eventually(healthy, `${count} healthy pods`);
  }

  /** Resolves when no order waits or runs. */
  async untilIdle(): Promise<void> {
    const idle = async () => {
      const { orders } = await this.#get('/v1/account');
      return JSON.stringify(orders) === '{"queued":0,"executing":0}';
    };
    await eventually(idle, 'the orders of the account to end');
  }

  /** What was charged, newest first. */
  async usage(): Promise<readonly UsageRecord[]> {
    const { data } = await this.#get('/v1/usage?limit=200');
    return data as UsageRecord[];
  }

  /** What the operator's audit finds, also of the configured slots. */
  async auditFindings(): Promise<unknown> {
    return (await this.#site.command('audit', '--against-config')).json.findings;
  }

  async remove(): Promise<void> {
    await this.#process.stop();
    this.#site.remove();
  }

  async #get(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.#process.url}${path}`, { headers: { authorization: `Bearer ${this.key}` } });
    return (await response.json()) as Record<string, unknown>;
  }
}

function modelOver({ url, contextLength = CONTEXT_LENGTH }: Engine, id: string, own: object = {}) {
  const pod = { id: `${id}-engine`, url, slots: SLOTS, token_per_chunk: true, ...own };
  const lengths = { context_length: contextLength, max_output_length: contextLength };
  return { id, type: 'fixed' as const, ...lengths, usd_per_million: PRICES, pods: [pod] };
}

/** Asserts that the receipt of an answer is what its token counts cost. Returns the counts. */
export function recomputed(usage: OpenAI.CompletionUsage | null | undefined) {
  assert.ok(usage);
  const { x_market: receipt, prompt_tokens, completion_tokens: output, prompt_tokens_details } = usage as Usage;
  const cached = prompt_tokens_details?.cached_tokens ?? Number.NaN;
  const tokens = { cached, uncached: prompt_tokens - cached, output };
  assert.equal(receipt.charged_usd, chargeOf(tokens));
  return tokens;
}

/** The cost of tokens in USD, rounded to nano-dollars. */
export function chargeOf(tokens: { cached: number; uncached: number; output: number }): number {
  const { cached, uncached, output } = tokens;
  return Math.round((cached * PRICES.cached + uncached * PRICES.uncached + output * PRICES.output) * 1e3) / 1e9;
}
