/**
 * Clients that ask every kind of route of a gateway over and over, and keep how long each answer took: answers that are
 * rows and answers that are files, inputs that wait in files, uploads, downloads, and a batch that runs meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { BatchClient, faultsOf } from '#testing/batch-client.ts';
import type { Owner } from '../books/usage-records.ts';

/** One answer, read to its end. */
export interface Answer {
  readonly route: string;
  /** 0 for an answer that was cut off. */
  readonly status: number;
  readonly retryAfter: boolean;
  /** Whether it is that of an order that ran: it was charged, or its charge is uncertain. */
  readonly ran: boolean;
  readonly beginMs: number;
  readonly endMs: number;
}

/** A running load. */
export interface RouteLoad {
  readonly answers: readonly Answer[];
  /** The orders whose receipts came, and those whose charge was reported as uncertain. */
  readonly known: ReadonlySet<string>;
  readonly uncertain: ReadonlySet<string>;
  /** Detached orders, and the lines of the batch. */
  readonly accepted: ReadonlySet<string>;
  /** The orders that answers to each Idempotency-Key named. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  /** Sends nothing more; resolves when every answer has come. */
  stop(): Promise<void>;
  /** Repeats the requests with a key that got no answer. Returns those that still get none, as sentences. */
  repeatKeys(): Promise<string[]>;
  /** Waits for the batch, and returns what is wrong with its files. */
  batchFaults(): Promise<string[]>;
}

const PAUSE_MS = 50;
const LINES = 300;
const chat = {
  model: 'tide',
  messages: [{ role: 'user', content: 'Say a few words about rivers.' }],
  max_tokens: 8,
  price_limit: 50,
  x_simulate: { first_token_ms: 15, token_ms: 4 },
};
/** An answer of more than 64 KiB, which is a file. */
const large = {
  ...{ logprobs: true, top_logprobs: 20, max_tokens: 200 },
  x_simulate: { first_token_ms: 15, token_ms: 0, output_tokens: 200 },
};
/** An input that waits for the one slot of its model in a file. */
const waits = {
  ...{ model: 'pier', messages: [{ role: 'user', content: 'river '.repeat(20_000) }] },
  x_simulate: { first_token_ms: 20, token_ms: 5 },
};

interface Question {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly form?: FormData;
  readonly key?: string;
  readonly zipped?: boolean;
  /** Beside method and path. */
  readonly name?: string;
}

/** Starts the clients. */
export async function startRoutes(owner: Owner): Promise<RouteLoad> {
  const clients = new RouteClients(owner);
  await clients.start();
  return clients;
}

class RouteClients implements RouteLoad {
  readonly answers: Answer[] = [];
  readonly known = new Set<string>();
  readonly uncertain = new Set<string>();
  readonly accepted = new Set<string>();
  readonly keys = new Map<string, Set<string>>();
  /** The keys whose last answer was none. */
  readonly #open = new Map<string, Question>();
  readonly #owner: Owner;
  readonly #batches: BatchClient;
  #batchId = '';
  #lanes: readonly Promise<void>[] = [];
  #stopped = false;

  constructor(owner: Owner) {
    this.#owner = owner;
    this.#batches = new BatchClient(owner.url, owner.apiKey);
  }

  async start(): Promise<void> {
    this.#batchId = (await this.#batches.create(await this.#batches.upload(customIds.map(lineOf)))).id;
    const first = await this.#chat({});
    const stored = await this.#chat(large, { key: crypto.randomUUID() });
    const file = await this.#batches.upload(['x'.repeat(2 ** 20)]);
    let seconds = 0;
    const repeat = (once: () => Promise<unknown>) => this.#repeat(once);
    const get = (path: string, name?: string) => repeat(() => this.#ask({ path, ...(name ? { name } : {}) }));
    const streamed = { stream: true, stream_options: { include_usage: true } };
    const keyed = (fields: object) => repeat(() => this.#chat(fields, { key: crypto.randomUUID() }));
    this.#lanes = [
      ...Array.from({ length: 6 }, () => repeat(() => this.#chat({}))),
      repeat(() => this.#chat({ model: 'harbor' })),
      ...Array.from({ length: 2 }, () => repeat(() => this.#chat(streamed, { name: '(stream)' }))),
      repeat(() => this.#chat(large, { name: '(large answer)' })),
      ...Array.from({ length: 3 }, () => repeat(() => this.#chat(waits, { name: '(waits in a file)' }))),
      repeat(() => this.#chat({}, { zipped: true, name: '(gzip)' })),
      repeat(() => this.#chat({ detached: true }, { name: '(detached)' })),
      keyed({}),
      keyed(large),
      repeat(() => this.#upload()),
      repeat(() => this.#uploadAndDelete()),
      get(`/v1/files/${file}/content`),
      get(`/v1/orders/${first}/result`),
      get(`/v1/orders/${stored}/result`, '(large)'),
      repeat(() =>
        this.#ask({ method: 'PATCH', path: '/v1/account', body: { order_timeout_seconds: 600 + seconds++ } }),
      ),
      repeat(() => this.#ask({ method: 'POST', path: `/v1/orders/${first}/cancel` })),
      repeat(() => this.#ask({ method: 'POST', path: '/v1/orders/price', body: { ids: [first], price_limit: 4 } })),
      ...['/v1/account', '/v1/usage', '/v1/orders', `/v1/orders/${first}`, '/v1/files', '/v1/batches'].map((path) =>
        get(path),
      ),
      ...['/v1/models', '/v1/market', '/healthz'].map((path) => get(path)),
    ];
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
  }

  async repeatKeys(): Promise<string[]> {
    for (const question of [...this.#open.values()]) await this.#ask(question);
    return [...this.#open.keys()].map((key) => `key ${key}: no answer at last`);
  }

  async batchFaults(): Promise<string[]> {
    const batch = await this.#batches.ended(this.#batchId);
    for (const { response } of await this.#batches.entries(batch.output_file_id)) {
      if (response) this.accepted.add(response.body.usage.x_market.order_id);
    }
    return faultsOf(this.#batches, batch, customIds);
  }

  async #repeat(once: () => Promise<unknown>): Promise<void> {
    while (!this.#stopped) {
      await once();
      await sleep(PAUSE_MS);
    }
  }

  #chat(fields: object, more: Partial<Question> = {}): Promise<string | null> {
    return this.#ask({ method: 'POST', path: '/v1/chat/completions', body: { ...chat, ...fields }, ...more });
  }

  async #upload(): Promise<string | null> {
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob(['x'.repeat(2 ** 20)]), 'input.jsonl');
    return this.#ask({ method: 'POST', path: '/v1/files', form });
  }

  async #uploadAndDelete(): Promise<void> {
    const id = await this.#upload();
    if (id) await this.#ask({ method: 'DELETE', path: `/v1/files/${id}` });
  }

  /** Asks, takes down the answer, and returns the id that it names: of an order, else of what was made. */
  async #ask(question: Question): Promise<string | null> {
    const beginMs = performance.timeOrigin + performance.now();
    const { status, text, headers } = await this.#send(question);
    const endMs = performance.timeOrigin + performance.now();
    const orderId = headers.get('x-service-order-id');
    const charged = /"charged_usd"/.test(text) && question.path.endsWith('/completions');
    const isUncertain = /settlement_uncertain/.test(text);
    if (orderId && charged) this.known.add(orderId);
    if (orderId && isUncertain) this.uncertain.add(orderId);
    if (orderId && status === 202) this.accepted.add(orderId);
    if (question.key) this.#noteKey(question.key, question, { orderId, answered: status === 200 });
    const route = routeOf(question);
    const retryAfter = headers.has('retry-after');
    this.answers.push({ route, status, retryAfter, ran: charged || isUncertain, beginMs, endMs });
    if (orderId || status !== 200) return orderId;
    return /^\{"id":"([^"]+)"/.exec(text)?.[1] ?? null;
  }

  async #send(question: Question): Promise<{ status: number; text: string; headers: Headers }> {
    const { path, method = 'GET' } = question;
    try {
      const response = await fetch(this.#owner.url + path, { method, ...requestOf(question, this.#owner.apiKey) });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch {
      return { status: 0, headers: new Headers(), text: '' };
    }
  }

  #noteKey(key: string, question: Question, { orderId, answered }: { orderId: string | null; answered: boolean }) {
    const orders = this.keys.get(key) ?? new Set();
    if (orderId) orders.add(orderId);
    this.keys.set(key, orders);
    if (answered) this.#open.delete(key);
    else this.#open.set(key, question);
  }
}

function requestOf({ body, form, key, zipped }: Question, apiKey: string): RequestInit {
  const headers: Record<string, string> = { authorization: `Bearer ${apiKey}` };
  if (key) headers['idempotency-key'] = key;
  if (form) return { headers, body: form };
  if (!body) return { headers };
  headers['content-type'] = 'application/json';
  if (!zipped) return { headers, body: JSON.stringify(body) };
  headers['content-encoding'] = 'gzip';
  return { headers, body: new Uint8Array(gzipSync(JSON.stringify(body))) };
}

function routeOf({ method = 'GET', path, name, key, body }: Question): string {
  const place = path.replace(/file-[0-9a-f]+|[0-9a-f]{8}-[0-9a-f-]+/, '{id}');
  const isLarge = key && body && 'logprobs' in body ? ' (large answer)' : '';
  return `${method} ${place}${name ? ` ${name}` : ''}${key ? ' (key)' : ''}${isLarge}`;
}

const customIds = Array.from({ length: LINES }, (_, index) => `request-${index}`);

function lineOf(customId: string, index: number): string {
  const body = { ...chat, model: 'barge', price_limit: undefined, ...(index % 10 === 0 ? large : SLOW) };
  return JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/chat/completions', body });
}

const SLOW = { x_simulate: { first_token_ms: 100, token_ms: 50 } };
