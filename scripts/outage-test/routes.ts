/** Clients that ask every kind of route of a gateway over and over, and keep how long each answer took. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from '../books/usage-records.ts';

/** One answer, read to its end. */
export interface Answer {
  readonly route: string;
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
  /** Sends nothing more; resolves when every answer has come. */
  stop(): Promise<void>;
}

const PAUSE_MS = 50;
const chat = {
  model: 'tide',
  messages: [{ role: 'user', content: 'Say a few words about rivers.' }],
  max_tokens: 8,
  price_limit: 50,
  x_simulate: { first_token_ms: 15, token_ms: 4 },
};

/** Starts eight clients of chat and one of every other route. */
export async function startRoutes({ url, apiKey }: Owner): Promise<RouteLoad> {
  const load = { answers: [] as Answer[], known: new Set<string>(), uncertain: new Set<string>(), stopped: false };
  const ask = async (method: string, path: string, body: unknown = null, key: string | null = null) => {
    const beginMs = performance.timeOrigin + performance.now();
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(key === null ? {} : { 'idempotency-key': key }),
      },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const endMs = performance.timeOrigin + performance.now();
    const orderId = response.headers.get('x-service-order-id');
    const charged = /"charged_usd"/.test(text) && path.endsWith('/completions');
    const isUncertain = /settlement_uncertain/.test(text);
    if (orderId && charged) load.known.add(orderId);
    if (orderId && isUncertain) load.uncertain.add(orderId);
    const route = `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]+/, '{id}')}${stream(body)}${key ? ' (key)' : ''}`;
    const retryAfter = response.headers.has('retry-after');
    load.answers.push({ route, status: response.status, retryAfter, ran: charged || isUncertain, beginMs, endMs });
    return orderId;
  };
  const first = await ask('POST', '/v1/chat/completions', chat);
  const repeat = async (once: () => Promise<unknown>) => {
    while (!load.stopped) {
      await once();
      await sleep(PAUSE_MS);
    }
  };
  const completion = (fields: object = {}) => repeat(() => ask('POST', '/v1/chat/completions', { ...chat, ...fields }));
  const lanes = [
    ...Array.from({ length: 6 }, () => completion()),
    completion({ model: 'harbor' }),
    completion({ stream: true, stream_options: { include_usage: true } }),
    completion({ stream: true, stream_options: { include_usage: true } }),
    repeat(() => ask('POST', '/v1/chat/completions', chat, crypto.randomUUID())),
    repeat(() => ask('PATCH', '/v1/account', { order_timeout_seconds: 600 })),
    repeat(() => ask('POST', `/v1/orders/${first}/cancel`)),
    repeat(() => ask('POST', '/v1/orders/price', { ids: [first], price_limit: 4 })),
    ...['/v1/account', '/v1/usage', '/v1/orders', `/v1/orders/${first}`, `/v1/orders/${first}/result`].map((path) =>
      repeat(() => ask('GET', path)),
    ),
    ...['/v1/files', '/v1/batches', '/v1/models', '/v1/market', '/healthz'].map((path) =>
      repeat(() => ask('GET', path)),
    ),
  ];
  return {
    ...load,
    async stop() {
      load.stopped = true;
      await Promise.all(lanes);
    },
  };
}

function stream(body: unknown): string {
  return typeof body === 'object' && body !== null && 'stream' in body ? ' (stream)' : '';
}
