/**
 * Clients that ask every kind of route of a gateway over and over: answers that are rows and answers that are files,
 * inputs that wait in files, uploads, downloads, and a batch that runs meanwhile.
 */
import type { RunAccount } from '../harness/accounts.ts';
import { runBatch, upload } from '../harness/batches.ts';
import type { Call, OrderOutcome } from '../harness/client.ts';
import { keyedOrders } from '../harness/keyed-orders.ts';
import type { Asker, Lane, Lanes } from '../harness/lane.ts';
import type { OrderRequest } from '../harness/requests.ts';

/** What exists before an outage: two orders, one with a large answer, and a file. */
export interface Existing {
  readonly orderId: string;
  readonly largeOrderId: string;
  readonly fileId: string;
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
const slow = { x_simulate: { first_token_ms: 100, token_ms: 50 } };
const lines = Array.from({ length: LINES }, (_, index) => {
  const { price_limit, ...body } = chat;
  return { ...body, model: 'barge', ...(index % 10 === 0 ? large : slow) };
});
const FILE = 'x'.repeat(2 ** 20);

/** Sends an order with these fields beyond the common ones. */
function ordered({ client, caller, name }: Asker, fields: object, isZipped = false): Promise<OrderOutcome> {
  return client.order(caller, requestOf(fields, isZipped), { lane: name });
}

function requestOf(fields: object, isZipped = false): OrderRequest {
  const body: Record<string, unknown> = { ...chat, ...fields };
  const [stream, detached] = [body.stream === true, body.detached === true];
  return { shape: 'chat', path: '/v1/chat/completions', stream, detached, body, isZipped };
}

/** Makes what the lanes ask for. */
export async function makeExisting(asker: Asker): Promise<Existing> {
  const [first, second] = [await ordered(asker, {}), await ordered(asker, large)];
  const fileId = await upload(asker, FILE);
  if (!first.orderId || !second.orderId || fileId === null) throw new Error('The gateway does not serve.');
  return { orderId: first.orderId, largeOrderId: second.orderId, fileId };
}

/** What the clients ask for. Keys are repeated until each has its answer. */
export function routeLanes(caller: RunAccount, { orderId, largeOrderId, fileId }: Existing): Lanes[] {
  const repeat = (name: string, count: number, once: (lane: Lane) => Promise<unknown>): Lanes => {
    return { name, count, caller, pauseMs: PAUSE_MS, once };
  };
  const order = (name: string, count: number, fields: object) => repeat(name, count, (lane) => ordered(lane, fields));
  const keys = (name: string, fields: object) => repeat(name, 1, keyedOrders(() => requestOf(fields)).send);
  const ask = (path: string, call: Call = {}) => repeat(path, 1, (lane) => lane.client.call(caller, path, call));
  const streamed = { stream: true, stream_options: { include_usage: true } };
  let seconds = 0;
  const patient = () => ({ method: 'PATCH' as const, body: { order_timeout_seconds: 600 + seconds++ } });
  const paths = ['/v1/account', '/v1/usage', '/v1/orders', `/v1/orders/${orderId}`, '/v1/files', '/v1/batches'];
  return [
    order('chat', 6, {}),
    order('fixed price', 1, { model: 'harbor' }),
    order('stream', 2, streamed),
    order('large answer', 1, large),
    order('waits in a file', 3, waits),
    repeat('gzip', 1, (lane) => ordered(lane, {}, true)),
    order('detached', 1, { detached: true }),
    keys('key', {}),
    keys('key, large answer', large),
    repeat('uploads', 1, (lane) => upload(lane, FILE)),
    repeat('uploads that are deleted', 1, uploadAndDelete),
    repeat('batches', 1, (lane) => runBatch(lane, { bodies: lines, priceLimit: 5 })),
    repeat('settings', 1, (lane) => lane.client.call(caller, '/v1/account', patient())),
    ask(`/v1/files/${fileId}/content`),
    ask(`/v1/orders/${orderId}/result`),
    ask(`/v1/orders/${largeOrderId}/result`, { label: 'GET /v1/orders/{id}/result (large)' }),
    ask(`/v1/orders/${orderId}/cancel`, { method: 'POST' }),
    ask('/v1/orders/price', { body: { ids: [orderId], price_limit: 4 } }),
    ...[...paths, '/v1/models', '/v1/market', '/healthz'].map((path) => ask(path)),
  ];
}

async function uploadAndDelete(lane: Lane): Promise<void> {
  const id = await upload(lane, FILE);
  if (id) await lane.client.call(lane.caller, `/v1/files/${id}`, { method: 'DELETE' });
}
