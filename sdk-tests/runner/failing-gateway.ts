/**
 * A gateway that fails on purpose: a proxy in front of a real one, which spoils a share of the requests in the ways that
 * networks, balancers and restarts do. It knows nothing of a client, so what a client says afterwards can be compared
 * with the ledger of the gateway. The same seed draws the same faults in the same order of requests.
 */
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '#base/random.ts';
import { listening } from '#testing/listening.ts';

/**
 * How a request fails. `before`: the gateway never sees it. `after`: the gateway has answered, and the answer is lost. A
 * page is something before the gateway; `cut` ends the connection, and `truncated` looks like a whole answer.
 */
export const faults = [
  '502 before',
  '502 after',
  '408 before',
  '408 after',
  '429 with Retry-After',
  '429 without Retry-After',
  '429 until a time',
  '503 for a day',
  '410',
  '302 before',
  '200 page before',
  '200 page after',
  '502 with order',
  'dropped before',
  'dropped after',
  'cut',
  'truncated',
] as const;

/** One of them. `down`: the gateway ended in its answer, or did not listen, and the proxy answered 503 with Retry-After. */
export type Fault = (typeof faults)[number] | 'down';

/** A request that was spoiled. */
export interface SpoiledRequest {
  readonly fault: Fault;
  /** The order in its path, or the price limit in its body; null without either. */
  readonly subject: string | null;
}

/** In front of a gateway. */
export interface FailingGateway {
  /** With a path before `/v1`, as behind a proxy for several services. */
  readonly url: string;
  readonly spoiled: readonly SpoiledRequest[];
  close(): Promise<void>;
}

/** How often, and how. */
export interface FailingOptions {
  /** The address of the gateway. */
  readonly target: string;
  readonly seed: number;
  /** The share of the requests that fail, from 0 to 1. */
  readonly rate: number;
  /** Those to draw from; all by default. */
  readonly kinds?: readonly Fault[];
  /** Learns of each request, before anything happens to it, how many there were before it. */
  onRequest?(before: number): void;
}

/** A whole request, as it came. */
interface Arrived {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

/** The path of the proxy, which the gateway does not see. */
const OWN_PATH = '/inference';
const PATH_ORDER = /^\/v1\/orders\/([0-9a-f-]{36})\b/;
const BODY_LIMIT = /"price_limit"\s*:\s*"?([\d.]+)/;
const CUT_BYTES_MAX = 4000;
const POLL_MS = 20;
/** So many requests are answered while the gateway is away; later ones wait for it, since a slow machine starts it slowly. */
const DOWN_MAX = 30;
/** For the end of an order; one that waits for its price is not there by then. */
const POLLS_MAX = 200;

/** Starts the proxy. */
export async function openFailingGateway(options: FailingOptions): Promise<FailingGateway> {
  const { target, seed, rate, kinds } = options;
  const { next } = seededRandom(seed);
  const drawn: readonly Fault[] = kinds ?? faults;
  const spoiled: SpoiledRequest[] = [];
  const downs = { left: DOWN_MAX };
  let requests = 0;
  const server = createServer((request, response) => {
    options.onRequest?.(requests++);
    const fault = next() < rate ? (drawn[Math.floor(next() * drawn.length)] ?? null) : null;
    const cutBytes = Math.floor(next() * CUT_BYTES_MAX);
    serve({ request, response }, { target, fault, cutBytes, downs }).then(
      (actual) => actual && spoiled.push(actual),
      () => response.destroy(),
    );
  });
  const { url, close } = await listening(server);
  return { url: `${url}${OWN_PATH}`, spoiled, close };
}

interface Plan {
  readonly target: string;
  readonly fault: Fault | null;
  readonly cutBytes: number;
  readonly downs: { left: number };
}

/** Answers one request; resolves with how it failed, or null. */
async function serve({ request, response }: Omit<Arrived, 'body'>, plan: Plan): Promise<SpoiledRequest | null> {
  const arrived = { request, response, body: await wholeOf(request) };
  request.url = (request.url ?? '').replace(OWN_PATH, '');
  const actual = await spoil(arrived, plan);
  const subject = PATH_ORDER.exec(request.url ?? '')?.[1] ?? BODY_LIMIT.exec(arrived.body.toString())?.[1] ?? null;
  return actual && { fault: actual, subject };
}

async function spoil(arrived: Arrived, { target, fault, cutBytes, downs }: Plan): Promise<Fault | null> {
  const { request, response } = arrived;
  if (fault?.endsWith('before') || fault?.startsWith('429') || fault === '503 for a day') return fail(response, fault);
  let answer = await ask(target, arrived).catch(() => null);
  while (!answer) {
    if (response.destroyed || downs.left-- > 0) return fail(response, 'down');
    await sleep(POLL_MS);
    answer = await ask(target, arrived).catch(() => null);
  }
  if (fault === null) return pass(answer, response, Number.POSITIVE_INFINITY);
  if (fault === 'cut' || fault === 'truncated') return pass(answer, response, cutBytes, fault);
  if (fault === '410') {
    const order = await endedOrder(target, arrived, answer);
    if (!order) return pass(answer, response, Number.POSITIVE_INFINITY);
    answer.destroy();
    return fail(response, '410', order);
  }
  if (request.method === 'POST') await wholeOf(answer).catch(() => {});
  answer.destroy();
  const order = answer.headers['x-service-order-id'];
  return fail(response, fault, typeof order === 'string' ? order : undefined);
}

/** Passes so many bytes of an answer on, and then ends it if there are more: within its body, or as if it was whole. */
function pass(
  answer: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  how: Fault = 'cut',
): Promise<Fault | null> {
  const { connection: _, ...headers } = answer.headers;
  if (how === 'truncated') {
    // Without its length, an answer ends where the connection does.
    delete headers['content-length'];
    delete headers['transfer-encoding'];
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
  }
  response.writeHead(answer.statusCode ?? 502, headers);
  response.flushHeaders();
  let left = bytesMax;
  return new Promise((resolve) => {
    response.on('close', () => {
      const isWhole = answer.complete;
      answer.destroy();
      if (left < 0) resolve(how);
      else resolve(isWhole ? null : 'down');
    });
    if (response.destroyed) response.emit('close');
    // The gateway ended in the middle of its answer.
    answer.on('error', () => response.destroy());
    answer.on('data', (bytes: Buffer) => {
      const passed = bytes.subarray(0, Math.max(left, 0));
      left -= bytes.length;
      response.write(passed, () => left < 0 && (how === 'cut' ? response.destroy() : response.end()));
    });
    answer.on('end', () => left >= 0 && response.end());
  });
}

/** Answers with a fault, or closes the connection without an answer. */
function fail(response: ServerResponse, fault: Fault, order = ''): Fault {
  const envelope = (type: string, code: string) =>
    JSON.stringify({ error: { message: fault, type, param: null, code } });
  const json = { 'content-type': 'application/json' };
  switch (fault) {
    case '429 with Retry-After':
      response.writeHead(429, { ...json, 'retry-after': '1' }).end(envelope('rate_limit_error', 'rate_limit_error'));
      break;
    case '429 without Retry-After':
      response.writeHead(429, json).end(envelope('rate_limit_error', 'rate_limit_error'));
      break;
    case '429 until a time':
      response.writeHead(429, { ...json, 'retry-after': new Date(Date.now() + 1000).toUTCString() });
      response.end(envelope('rate_limit_error', 'rate_limit_error'));
      break;
    case '503 for a day':
      response.writeHead(503, { 'content-type': 'text/html', 'retry-after': '86400' }).end('<h1>closed</h1>');
      break;
    case '302 before':
      response.writeHead(302, { location: '/sign-in' }).end();
      break;
    case '502 with order':
      response.writeHead(502, { 'content-type': 'text/html', ...(order && { 'x-service-order-id': order }) });
      response.end('<h1>no answer</h1>');
      break;
    case '410':
      response.writeHead(410, { ...json, 'x-service-order-id': order });
      response.end(envelope('gone_error', 'result_unavailable'));
      break;
    case 'dropped before':
    case 'dropped after':
      response.destroy();
      break;
    case 'down':
      response.writeHead(503, { 'content-type': 'text/html', 'retry-after': '2' }).end('<h1>no gateway</h1>');
      break;
    // A balancer's own page: neither JSON nor the name of an order.
    default:
      response.writeHead(Number.parseInt(fault, 10), { 'content-type': 'text/html' }).end(`<h1>${fault}</h1>`);
  }
  return fault;
}

/**
 * The order of a request once it is done, so that 410 is what the gateway would say without a stored result. Null when
 * there is none, or it ended without a charge.
 */
async function endedOrder(target: string, { request, body }: Arrived, answer: IncomingMessage): Promise<string | null> {
  const path = request.url ?? '';
  const asksForResult = PATH_ORDER.test(path) && /\/(result|stream)\b/.test(path);
  const creates = request.method === 'POST' && BODY_LIMIT.test(body.toString());
  const order = creates ? answer.headers['x-service-order-id'] : asksForResult && PATH_ORDER.exec(path)?.[1];
  if (typeof order !== 'string' || answer.statusCode === 429) return null;
  const headers = { authorization: request.headers.authorization ?? '' };
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    const reply = await fetch(`${target}/v1/orders/${order}`, { headers });
    const { status } = (await reply.json()) as { status?: string };
    if (status === 'done') return order;
    if (asksForResult || (status !== 'queued' && status !== 'executing')) return null;
    await sleep(POLL_MS);
  }
  return null;
}

/** Sends a request on; resolves when the headers of the answer are there. The gateway notices when the client leaves. */
function ask(target: string, { request, body, response }: Arrived): Promise<IncomingMessage> {
  const { host: _, connection: __, 'transfer-encoding': ___, expect: ____, ...kept } = request.headers;
  const headers = body.length > 0 ? { ...kept, 'content-length': body.length } : kept;
  const { method, url } = request;
  return new Promise((resolve, reject) => {
    const sent = openRequest(new URL(url ?? '/', target), { method, headers, agent: false }, resolve);
    const leave = () => sent.destroy();
    response.on('close', leave);
    sent.on('error', (error) => {
      response.off('close', leave);
      reject(error);
    });
    sent.end(body);
  });
}

async function wholeOf(stream: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
