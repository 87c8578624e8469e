/**
 * Clients that send every request with an Idempotency-Key, half of them with `store: false`, where the key outlives its
 * order and nothing else does. After a kill each key is sent again: it must name one order, and that order one charge.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '#base/random.ts';
import { type Owner, untilIdle, usageRecords } from '../books/usage-records.ts';

/** How many keys are sent again at a time. */
const REPEATERS = 4;
const REPEAT_MS = 50;
/** Far longer than a pending result takes, or an outage, on a slow machine. */
const REPEATING_MS_MAX = 180_000;

interface KeyedRequest {
  readonly key: string;
  readonly body: object;
}

/** The keys that one account has used, with the order that each names; null until an answer has named it. */
export class Keys {
  readonly orders = new Map<string, string | null>();
  readonly #requests: KeyedRequest[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Starts clients, each of which ends at its first broken connection, or after the request at which it is stopped. */
  load(owner: Owner, clients: number): { readonly ended: Promise<unknown>; stop(): void } {
    let stopped = false;
    const client = async () => {
      let answered = true;
      while (answered && !stopped) {
        answered = await send(owner, this.#next()).then(
          () => true,
          () => false,
        );
      }
    };
    return {
      ended: Promise.all(Array.from({ length: clients }, client)),
      stop: () => {
        stopped = true;
      },
    };
  }

  /**
   * Sends every key since the last call again, until its order has ended. Returns what it should not have got. Rejects
   * when the gateway is gone; then the next call sends them all again.
   */
  async settle(owner: Owner): Promise<string[]> {
    const sent = [...this.#requests];
    const findings = await this.#repeat(owner, sent);
    await untilIdle(owner);
    // A detached order of which nothing was kept ends uncharged with a kill, perhaps only now: its key is then free.
    findings.push(...(await this.#repeat(owner, sent)));
    await untilIdle(owner);
    this.#requests.splice(0, sent.length);
    return findings;
  }

  async #repeat(owner: Owner, requests: readonly KeyedRequest[]): Promise<string[]> {
    const findings: string[] = [];
    const left = requests.values();
    const repeater = async () => {
      for (const request of left) {
        const answer = await answerOf(owner, request);
        if (!isAnswer(answer)) findings.push(`key ${request.key}: ${answer.status} instead of its order`);
        this.orders.set(request.key, answer.orderId);
      }
    };
    await Promise.all(Array.from({ length: REPEATERS }, repeater));
    return findings;
  }

  #next(): KeyedRequest {
    const random = this.#random;
    const key = randomUUID();
    const body = {
      model: random.next() < 0.5 ? 'tide' : 'harbor',
      messages: [{ role: 'user', content: 'Say a few words about rivers.' }],
      max_tokens: 1 + Math.floor(random.next() * 12),
      price_limit: 50,
      store: random.next() < 0.5,
      detached: random.next() < 0.1,
      x_simulate: { first_token_ms: 15, token_ms: 4 },
    };
    this.orders.set(key, null);
    const request = { key, body };
    this.#requests.push(request);
    return request;
  }
}

/** Charges that no key names, and keys whose order was not charged once, as sentences. */
export async function compareKeys(owner: Owner, orders: ReadonlyMap<string, string | null>): Promise<string[]> {
  const open = new Set([...orders.values()].filter((order) => order !== null));
  const findings: string[] = [];
  for await (const { order_id } of usageRecords(owner)) {
    if (!open.delete(order_id)) findings.push(`order ${order_id}: charged, and no key names it`);
  }
  for (const orderId of open) findings.push(`order ${orderId}: named by a key, and not charged`);
  return findings;
}

interface KeyedAnswer {
  readonly status: number;
  readonly orderId: string | null;
}

/** Whether it names the order that was charged: its answer, that it goes on, or that it is over and nothing is stored. */
function isAnswer({ status, orderId }: KeyedAnswer): boolean {
  return orderId !== null && (status === 200 || status === 202 || status === 410);
}

/** The answer to a repeat; a pending result is asked for again, and a gateway that cannot answer now. */
async function answerOf(owner: Owner, request: KeyedRequest): Promise<KeyedAnswer> {
  const deadline = Date.now() + REPEATING_MS_MAX;
  for (;;) {
    const answer = await send(owner, request);
    const isLater = answer.status === 429 || answer.status >= 500;
    if (!isLater || Date.now() > deadline) return answer;
    await sleep(REPEAT_MS);
  }
}

async function send({ url, apiKey }: Owner, { key, body }: KeyedRequest): Promise<KeyedAnswer> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  await response.text();
  return { status: response.status, orderId: response.headers.get('x-service-order-id') };
}
