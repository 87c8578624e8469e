/**
 * What clients were answered during a run, written down as it happens and compared with the books at the end. Every line
 * also goes to a file where one is given, so that a run that ends badly can be read afterwards.
 */
import { createWriteStream, type WriteStream } from 'node:fs';

/** What a client paid, by its receipt. */
export interface KnownReceipt {
  readonly orderId: string;
  readonly chargedUsd: number;
}

/** What a client knows of the outcome of one request. */
export interface Told {
  readonly account: string;
  readonly lane: string;
  /** `200`, `429 capacity_unavailable`, `left`, `broken`. */
  readonly answer: string;
  readonly orderId: string | null;
  readonly receipt: KnownReceipt | null;
  /**
   * `charged`: there is a receipt. `accepted`: the order goes on without its caller. `refused`: it must not be charged.
   * `unknown`: it may have been charged. `nothing`: the answer says nothing about an order's charge.
   */
  readonly meaning: 'charged' | 'accepted' | 'refused' | 'unknown' | 'nothing';
}

const NANO = 1e9;
/** How long after a kill a client on a busy machine may notice it. */
const BREAKING_MS_MAX = 15_000;

/** The ledger of one run. */
export class Ledger {
  /** Nano-dollars by order, as receipts said. */
  readonly charges = new Map<string, number>();
  /** The orders of 202. */
  readonly accepted = new Map<string, string>();
  /** The orders whose cancellation was confirmed, and the lane that asked for it. */
  readonly canceled = new Map<string, string>();
  /** The orders that were answered with an error that is never charged, and this error. */
  readonly refused = new Map<string, string>();
  /** Orders whose caller does not know whether they were charged. */
  readonly unknown = new Set<string>();
  /** By account, how many requests may have made an order whose id nobody learned. */
  readonly blind = new Map<string, number>();
  /** By account and key, the orders that answers to the key named as finished. */
  readonly keys = new Map<string, Set<string>>();
  /** By batch, the custom ids that were sent. */
  readonly batches = new Map<string, readonly string[]>();
  /** By account, how many batches may have been made whose ids nobody learned. */
  readonly blindBatches = new Map<string, number>();
  readonly answers = new Map<string, number>();
  readonly lanes = new Map<string, number>();
  /** What the operator did, and what was done to the database. */
  readonly acts = new Map<string, number>();
  readonly findings: string[] = [];
  /** The longest wait for an answer that needs no model. */
  longestReadMs = 0;
  readonly #file: WriteStream | null;
  readonly #mayBreak: boolean;
  readonly #beganAtMs = performance.now();
  /** The number of the gateway's life. */
  life = 0;
  #killedAtMs = Number.NEGATIVE_INFINITY;

  /** `mayBreak`: connections break and hang at any time, and not only when a gateway is killed. */
  constructor(path: string | null, { mayBreak = false } = {}) {
    this.#file = path === null ? null : createWriteStream(path);
    this.#mayBreak = mayBreak;
  }

  /** How many requests were answered, or came to nothing. */
  get total(): number {
    return this.answers.values().reduce((sum, times) => sum + times, 0);
  }

  /** Minutes since the beginning. */
  get minute(): number {
    return (performance.now() - this.#beganAtMs) / 60_000;
  }

  /** Something that must not be. */
  found(what: string): void {
    const finding = `minute ${this.minute.toFixed(2)}, life ${this.life}: ${what}`;
    this.findings.push(finding);
    this.note({ finding });
    console.log(`FOUND ${finding}`);
  }

  /** Only for the file. */
  note(fields: object): void {
    this.#file?.write(`${JSON.stringify({ minute: Number(this.minute.toFixed(4)), life: this.life, ...fields })}\n`);
  }

  tell(told: Told): void {
    this.note(told);
    count(this.answers, told.answer);
    count(this.lanes, told.lane);
    if (told.receipt) this.#charge(told.receipt, told);
    const { orderId, meaning } = told;
    if (meaning === 'accepted' && orderId) this.accepted.set(orderId, told.account);
    if (meaning === 'refused' && orderId) this.refused.set(orderId, told.answer);
    if (meaning !== 'unknown') return;
    if (orderId) this.unknown.add(orderId);
    else count(this.blind, told.account);
  }

  /** A read was answered after this time. */
  waited(ms: number): void {
    this.longestReadMs = Math.max(this.longestReadMs, ms);
  }

  /** The gateway is about to be killed. */
  killing(): void {
    this.#killedAtMs = performance.now();
  }

  /** A connection broke that its caller had not closed: a finding unless a gateway has just been killed. */
  broke(path: string, cause: unknown): void {
    if (this.#mayBreak) return;
    const sinceMs = performance.now() - this.#killedAtMs;
    const when = Number.isFinite(sinceMs) ? `${Math.round(sinceMs)} ms after a kill` : 'without a kill';
    if (sinceMs > BREAKING_MS_MAX) this.found(`${path}: the connection broke ${when}: ${cause}`);
  }

  /** A request had no whole answer after so long. */
  hung(path: string, ms: number): void {
    if (!this.#mayBreak) this.found(`${path} had no whole answer after ${ms / 1000} s`);
  }

  /** A final answer to a key named this order. */
  finishKey(account: string, key: string, orderId: string): void {
    const name = `${account} ${key}`;
    const orders = this.keys.get(name) ?? new Set();
    this.keys.set(name, orders.add(orderId));
    if (orders.size > 1) this.found(`the key ${name} was answered by the orders ${[...orders].join(' and ')}`);
  }

  close(): Promise<void> {
    return new Promise((resolve) => (this.#file ? this.#file.end(resolve) : resolve()));
  }

  #charge({ orderId, chargedUsd }: KnownReceipt, { lane, orderId: named }: Told): void {
    if (named !== null && named !== orderId) this.found(`${lane}: the header names ${named}, the receipt ${orderId}`);
    const nano = Math.round(chargedUsd * NANO);
    const before = this.charges.get(orderId);
    if (before !== undefined && before !== nano)
      this.found(`${lane}: order ${orderId} has receipts of ${before} and ${nano} nano-dollars`);
    this.charges.set(orderId, nano);
  }
}

/** Adds one. */
export function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
