/**
 * Greedy clients, in a process of their own and at low priority, because on a real machine they would be elsewhere:
 * `fork` it, send a `CrowdOrder`, and it posts one body again and again until each request waits in the gateway. A
 * request that is answered with a retry is sent again. `count` is answered with a `CrowdCount` at any time.
 */
import { Agent, request } from 'node:http';
import { constants, getPriority, setPriority } from 'node:os';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** Whom to be, and what to send. */
export interface CrowdOrder {
  readonly url: string;
  readonly keys: readonly string[];
  /** Of each key. */
  readonly requests: number;
  readonly path: string;
  readonly body: object;
  /** The length of the text that is put in place of `TEXT` in the body. */
  readonly textBytes: number;
  /** False: they never read what they are sent. */
  readonly reads: boolean;
  /** What all of them together can send, as over a network; null: as much as this machine can. */
  readonly linkMegabits: number | null;
}

/** The outcome of the requests so far. */
export interface CrowdCount {
  /** Sent as a whole, and without an answer. */
  readonly waiting: number;
  /** Answers that ask to try again, by status, and answers that do not. */
  readonly retried: Readonly<Record<string, number>>;
  readonly ended: Readonly<Record<string, number>>;
}

/** Stands for the text in the body of an order. */
export const TEXT = '$TEXT';
const PIECE_BYTES = 64 * 1024;

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
const retried: Record<string, number> = {};
const ended: Record<string, number> = {};
let waiting = 0;
/** When the link has sent all that it was given. */
let freeAtMs = 0;

/** The body in pieces, each of which waits for its turn on the link that all requests share. */
async function* paced(body: Buffer, linkMegabits: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < body.length; from += PIECE_BYTES) {
    const piece = body.subarray(from, from + PIECE_BYTES);
    freeAtMs = Math.max(freeAtMs, performance.now()) + (piece.length * 8) / (linkMegabits * 1000);
    await pause(Math.max(0, freeAtMs - performance.now()));
    yield piece;
  }
}

function post(order: CrowdOrder, key: string, body: Buffer): void {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  let isSent = false;
  const sent = request(`${order.url}${order.path}`, { method: 'POST', headers, agent });
  const over = (outcome: string, againAfterS: number) => {
    if (isSent) waiting--;
    const counts = againAfterS > 0 ? retried : ended;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (againAfterS > 0) setTimeout(() => post(order, key, body), againAfterS * 1000);
  };
  let isOver = false;
  sent.once('response', (response) => {
    isOver = true;
    if (order.reads) response.resume();
    over(String(response.statusCode), Number(response.headers['retry-after'] ?? 0));
  });
  // The gateway may close a connection whose body it refused.
  sent.on('error', (error) => {
    if (!isOver) over('code' in error ? String(error.code) : error.name, 1);
    isOver = true;
  });
  sent.once('finish', () => {
    isSent = !isOver;
    if (isSent) waiting++;
  });
  if (order.linkMegabits === null) sent.end(body);
  else Readable.from(paced(body, order.linkMegabits)).pipe(sent);
}

function begin(order: CrowdOrder): void {
  const text = JSON.stringify(order.body).replace(TEXT, () => 'x'.repeat(order.textBytes));
  const body = Buffer.from(text);
  for (let round = 0; round < order.requests; round++) for (const key of order.keys) post(order, key, body);
}

if (process.send) {
  setPriority(Math.min(getPriority() + 10, constants.priority.PRIORITY_LOW));
  process.on('message', (message: CrowdOrder | 'count') => {
    if (message === 'count') process.send?.({ waiting, retried, ended } satisfies CrowdCount);
    else begin(message);
  });
}
