/**
 * What followers of a running order read: its events from its first on, and its end. Each follower asks for the next
 * ones when its own caller has read those before, so a slow one holds nothing but its place. The events are the texts
 * that the answer is made of, so they cost a few dozen bytes each besides. docs/decisions/0058.
 */

import { Fault, isFaultCode } from '#base/fault.ts';
import type { Reach } from '#base/reach.ts';
import { addBatch, type LogEntry, nextEntries, sizesOf } from '#results/event-log.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { decodeResult, encodeResult } from '#results/result.ts';
import type { OrderKind } from './order.ts';
import type { OrderEnd } from './order-port.ts';

/** How many may follow one order at a time, each at the cost of an encoder and a connection. */
export const FOLLOWERS_MAX = 8;
const RETRY_S = 1;

/** Entries of an order, and what comes after them. */
export interface StreamPage {
  readonly entries: readonly LogEntry[];
  /**
   * Null: more may come. Otherwise these are the last, and the order ended like this; `cut`: nothing more can be had
   * here, although the order has not ended, or its end is in the database.
   */
  readonly end: OrderEnd | 'cut' | null;
}

/** An order that is followed while it lives. */
export interface FollowedOrder {
  readonly orderId: string;
  readonly kind: OrderKind;
  readonly model: string;
  readonly createdAtMs: number;
  readonly promptEstimate: number;
  /**
   * What the request asked to be repeated, as its shape knows it or in JSON (Uint8Array); undefined for the defaults.
   * All followers share it.
   */
  readonly echo: unknown;
  /** Whether it may have run in a gateway that ended, so that nothing from before means anything now. */
  readonly restarted: boolean;
  /** About how many bytes are written to tell what there is so far. */
  readonly toldBytes: number;
  /** About how many bytes of this gateway's memory only its followers keep: 0 until the order has ended. */
  heldBytes(): number;
  /** The entries from `from` on. With `wait`, resolves once there is at least one entry, or the end. */
  next(from: number, wait: boolean): Promise<StreamPage>;
  /** Ends a call that waits, with `cut`, and frees its seat. May be called twice. */
  close(): void;
}

/** What is known about an order that is followed besides its stream. */
export type FollowedFacts = Pick<FollowedOrder, 'orderId' | 'kind' | 'model' | 'createdAtMs' | 'promptEstimate'>;

/** What a request asked to be repeated: as its shape knows it, or in JSON where it is large. */
export type Rendering = (() => unknown) | Uint8Array;

/** Where orders are followed. */
export interface FollowPort {
  /**
   * Follows the account's order while it lives; null for one that does not, is not here, or cannot be followed. Throws
   * rate_limit_error when too many follow it, result_pending when its end is still being written.
   */
  follow(reach: Reach, orderId: string): FollowedOrder | null | Promise<FollowedOrder | null>;
}

/** A follower. */
interface Seat {
  open: boolean;
  /** How many entries it has read. */
  read: number;
}

/** The events of one order, for those who follow it. */
export class OrderStream {
  readonly #rendering: Rendering | null;
  readonly restarted: boolean;
  #entries: LogEntry[] = [];
  #end: StreamPage['end'] = null;
  readonly #waiting = new Set<() => void>();
  readonly #seats = new Set<Seat>();
  #keptBytes = 0;

  /** `rendering` is null if it is no longer known what the request asked to be repeated. */
  constructor(rendering: Rendering | null, restarted: boolean) {
    this.#rendering = rendering;
    this.restarted = restarted;
  }

  get entries(): readonly LogEntry[] {
    return this.#entries;
  }

  /** What is repeated, for the stored result; null when that is not known any more. */
  get echoJson(): string | null {
    const rendering = this.#rendering;
    if (rendering instanceof Uint8Array) return Buffer.from(rendering).toString();
    return rendering ? JSON.stringify(rendering()) : null;
  }

  add(batch: readonly GenerationEvent[]): void {
    addBatch(this.#entries, batch);
    this.#wake();
  }

  /** The caller's own stream had a keepalive with a number. */
  progressed(): void {
    this.#entries.push({ type: 'progress' });
    this.#wake();
  }

  /**
   * Its attempt failed before any caller could have seen output: only keepalives were sent. A reader of dropped events
   * is cut, because its place does not exist in the next attempt.
   */
  startOver(): void {
    const kept = this.#entries.filter((entry) => entry?.type === 'progress');
    if (kept.length === this.#entries.length) return;
    this.#entries = kept;
    for (const seat of this.#seats) if (seat.read > 0) seat.open = false;
    this.#wake();
  }

  /** Once. If only this gateway ends the order, because it closes, its followers see a `cut`. */
  ended(end: OrderEnd): void {
    this.#keptBytes = this.#seats.size > 0 ? sizesOf(this.#entries, 0).kept : 0;
    this.#end = end.status !== 'done' && end.fault.code === 'unavailable' ? 'cut' : end;
    this.#wake();
  }

  /** Takes a seat. Throws rate_limit_error when all are taken. */
  follow(facts: FollowedFacts): FollowedOrder {
    if (this.#seats.size >= FOLLOWERS_MAX) {
      const message = `This order is followed by ${FOLLOWERS_MAX} streams already.`;
      throw new Fault('rate_limit_error', { message, retryAfterS: RETRY_S });
    }
    const seat: Seat = { open: true, read: 0 };
    this.#seats.add(seat);
    const rendering = this.#rendering;
    return {
      ...facts,
      echo: rendering instanceof Uint8Array ? rendering : rendering?.(),
      restarted: this.restarted,
      toldBytes: sizesOf(this.#entries, this.#echoBytes()).told,
      heldBytes: () => this.#keptBytes,
      next: (from, wait) => this.#next(from, wait, seat),
      close: () => {
        seat.open = false;
        if (this.#seats.delete(seat)) this.#wake();
      },
    };
  }

  #echoBytes(): number {
    const rendering = this.#rendering;
    return rendering instanceof Uint8Array ? rendering.byteLength : (this.echoJson?.length ?? 0);
  }

  async #next(from: number, wait: boolean, seat: Seat): Promise<StreamPage> {
    for (;;) {
      if (!seat.open || from > this.#entries.length) return { entries: [], end: 'cut' };
      const entries = nextEntries(this.#entries, from);
      seat.read = from + entries.length;
      const isLast = from + entries.length === this.#entries.length;
      if (entries.length > 0 || this.#end || !wait) return { entries, end: isLast ? this.#end : null };
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

/** A page in JSON. The answer is the text of a stored result. */
export interface SentPage {
  readonly entries: StreamPage['entries'];
  readonly end:
    | null
    | 'cut'
    | { readonly result: string; readonly charged: string }
    | {
        readonly status: Exclude<OrderEnd['status'], 'done'>;
        readonly fault: Pick<Fault, 'code' | 'message' | 'param'>;
      };
}

/** The page to send. */
export function sentPage(order: FollowedOrder, { entries, end }: StreamPage): SentPage {
  if (end === null || end === 'cut') return { entries, end };
  if (end.status === 'done') {
    const { orderId, kind, model, createdAtMs } = order;
    const { text } = encodeResult({ orderId, kind, model, createdAtMs, answer: end.answer }, 0);
    return { entries, end: { result: text, charged: end.answer.receipt.charged.toString() } };
  }
  const { code, message, param } = end.fault;
  return { entries, end: { status: end.status, fault: { code, message, param } } };
}

/** The page that was sent. */
export function pageFrom({ entries, end }: SentPage): StreamPage {
  if (end === null || end === 'cut') return { entries, end };
  if ('result' in end) {
    const { answer } = decodeResult({ text: end.result, charged: BigInt(end.charged) });
    return { entries, end: { status: 'done', answer } };
  }
  const { code, message, param } = end.fault;
  const known = isFaultCode(code) ? code : 'internal_error';
  return {
    entries,
    end: { status: end.status, fault: new Fault(known, { message, ...(param === null ? {} : { param }) }) },
  };
}
