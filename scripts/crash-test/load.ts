/**
 * Clients that send unary and streamed chat to a gateway until it dies, and keep every complete receipt. A receipt that
 * was cut off does not count: the client learned nothing.
 */
import { randomUUID } from 'node:crypto';
import type { Random } from '#base/random.ts';
import { type KnownReceipt, receiptIn, receiptInStream } from '../books/receipt.ts';

/** A running load. */
export interface Load {
  readonly receipts: readonly KnownReceipt[];
  /** Requests sent, whatever the outcome. */
  readonly sent: number;
  /** Answers that were neither a receipt nor a broken connection, by status. */
  readonly refused: ReadonlyMap<number, number>;
  /** Resolves when every client has noticed that the gateway is gone, or has stopped. */
  readonly ended: Promise<unknown>;
  /** Each client stops after its request. */
  stop(): void;
}

/** Where the clients send requests, and how. */
export interface LoadTarget {
  readonly url: string;
  readonly apiKey: string;
  readonly models: readonly string[];
  readonly clients: number;
  readonly random: Random;
}

interface Tally {
  readonly receipts: KnownReceipt[];
  readonly refused: Map<number, number>;
  sent: number;
  stopped: boolean;
}

/** Starts the clients. Each ends at its first broken connection. */
export function startLoad(target: LoadTarget): Load {
  const tally: Tally = { receipts: [], refused: new Map(), sent: 0, stopped: false };
  const clients = Array.from({ length: target.clients }, () => runClient(target, tally));
  return {
    receipts: tally.receipts,
    refused: tally.refused,
    get sent() {
      return tally.sent;
    },
    ended: Promise.all(clients),
    stop: () => {
      tally.stopped = true;
    },
  };
}

async function runClient(target: LoadTarget, tally: Tally): Promise<void> {
  while (!tally.stopped) {
    tally.sent++;
    try {
      await sendOne(target, tally);
    } catch {
      return;
    }
  }
}

/** Sends one request. Of an answer without a complete receipt the tally counts only the status. */
async function sendOne({ url, apiKey, models, random }: LoadTarget, tally: Tally): Promise<void> {
  const chance = (share: number) => random.next() < share;
  const stream = chance(1 / 3);
  const leaves = stream && chance(1 / 10);
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      ...(chance(1 / 5) ? { 'idempotency-key': randomUUID() } : {}),
    },
    body: JSON.stringify({
      model: models[Math.floor(random.next() * models.length)],
      messages: [{ role: 'user', content: 'Say a few words about rivers.' }],
      max_tokens: 1 + Math.floor(random.next() * 12),
      price_limit: 1 + Math.floor(random.next() * 50),
      ...(stream ? { stream, stream_options: { include_usage: true } } : { detached: chance(1 / 20) }),
      x_simulate: { first_token_ms: 15, token_ms: 4, ...(chance(1 / 20) ? FAILS_ONCE : {}) },
    }),
  });
  if (response.status !== 200 && response.status !== 202) {
    tally.refused.set(response.status, (tally.refused.get(response.status) ?? 0) + 1);
    await response.text();
    return;
  }
  if (leaves) {
    await response.body?.cancel();
    return;
  }
  const receipt = stream ? receiptInStream(await response.text()) : receiptIn(await response.json());
  if (receipt) tally.receipts.push(receipt);
}

/** The pod fails the first attempt, so that the order goes back to the book. */
const FAILS_ONCE = { fail: 'before-output', fail_attempts: 1 };
