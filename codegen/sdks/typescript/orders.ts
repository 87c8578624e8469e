/**
 * Orders that are placed once, and followed, repriced and collected for as long as they live. This file is handwritten
 * and copied into the client as it is: the generated core knows single requests.
 */

import type { ListOrdersRequest } from './apis/index.js';
import type { Core } from './client.js';
import { ConflictError } from './error-classes.js';
import { ConnectionError, type SluiceError, TimeoutError } from './errors.js';
import { type EventStream, StreamCut, type StreamEvent } from './event-stream.js';
import { endOf, isUncharged, type WireFault } from './faults.js';
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  ChatCompletionChunkFromJSON,
  ChatCompletionFromJSON,
  type ChatCompletionRequest,
  type DryRun,
  MessageFromJSON,
  type Order,
  type OrderKind,
  type OrderStatus,
  ResponseObjectFromJSON,
  TextCompletionFromJSON,
} from './models/index.js';
import type { Money } from './money.js';
import { OrderReceipt } from './receipts.js';
import { backoffMs, type CallOptions, chargedOf, sleep, wireNames, withEnd, withOptions } from './transport.js';

type Renamed = 'price_limit' | 'max_charge_usd' | 'price_lock' | 'max_wait' | 'expires_after' | 'retention_days';

/** A chat to place: fields for the model as OpenAI names them, and what it may cost and how long it may wait. */
export interface PlaceParams extends Omit<ChatCompletionRequest, Renamed> {
  /** The most that it pays, in USD per 1M input tokens at the reference mix; the default of the key or account when absent. */
  readonly priceLimit?: Money;
  /** The most that it is charged, in USD. */
  readonly maxChargeUsd?: Money;
  /** Bids the lower of quote and limit, and starts within ten seconds or not at all. */
  readonly priceLock?: boolean;
  /** Seconds that it may wait for its start. */
  readonly maxWait?: number;
  /** Days that its result is stored. */
  readonly retentionDays?: number;
}

/** One event of an order's stream. */
export interface OrderEvent<Data = unknown> {
  /** Counts from 0: `stream({ after })` goes on after it. */
  readonly number: number;
  /** The name of the event; null in chats. */
  readonly name: string | null;
  readonly data: Data;
  /** What it adds to the text of the answer. */
  readonly text: string;
  /** The gateway of the order ended, and the order runs again: what came before this event no longer counts. */
  readonly restarted: boolean;
}

const FIRST_POLL_MS = 200;
const LONG_POLL_MS = 2000;
/** The last events of other kinds than chat, whose stream ends with [DONE]. */
const LAST = ['message_stop', 'response.completed', 'response.incomplete', 'response.failed'];
const INCLUDE: ('usage' | 'pricing')[] = ['usage', 'pricing'];

// biome-ignore lint/suspicious/noExplicitAny: the JSON of an answer, which these functions give a type.
const BODIES: Readonly<Record<OrderKind, (json: any) => unknown>> = {
  chat: ChatCompletionFromJSON,
  completion: TextCompletionFromJSON,
  responses: ResponseObjectFromJSON,
  messages: MessageFromJSON,
};

/** The orders of the account. */
export class Orders {
  readonly #core: Core;
  readonly #maxRetries: number;

  constructor(core: Core, maxRetries: number) {
    this.#core = core;
    this.#maxRetries = maxRetries;
  }

  /** Places a chat that goes on without this program. All attempts have one Idempotency-Key, so it is placed once. */
  async place(params: PlaceParams, options?: CallOptions): Promise<ChatOrder> {
    const request = { chatCompletionRequest: wireNames<ChatCompletionRequest>(params) };
    const accepted = await this.#core.inference.createDetachedChatCompletion(request, withOptions(options));
    return this.#handle(accepted.id, accepted.status) as ChatOrder;
  }

  /** What a chat would be held for, cost and wait. Nothing is placed. */
  preview(params: PlaceParams, options?: CallOptions): Promise<DryRun> {
    const request = { chatCompletionRequest: wireNames<ChatCompletionRequest>(params) };
    return this.#core.inference.dryRunChatCompletion(request, withOptions(options));
  }

  /** The order with this id. Throws NotFoundError when the account has none. */
  async get(id: string, options?: CallOptions): Promise<OrderHandle> {
    const handle = this.#handle(id, 'queued');
    await handle.refresh(options);
    return handle;
  }

  /** The orders that a filter chooses, newest first. It asks for the next page when the loop gets there. */
  async *list(
    filter: Omit<ListOrdersRequest, 'cursor' | 'include'> = {},
    options?: CallOptions,
  ): AsyncGenerator<OrderHandle> {
    for (let cursor: string | undefined; ; ) {
      const request = { ...filter, include: INCLUDE, ...(cursor && { cursor }) };
      const page = await this.#core.orders.listOrders(request, withOptions(options));
      for (const order of page.data) yield this.#handle(order.id, order.status, order);
      if (!page.has_more || !page.next_cursor) return;
      cursor = page.next_cursor;
    }
  }

  #handle(id: string, status: OrderStatus, order: Order | null = null): OrderHandle {
    return new OrderHandle({ core: this.#core, maxRetries: this.#maxRetries, id, status, order });
  }
}

/** An order that `place` returned. */
export type ChatOrder = OrderHandle<ChatCompletion, ChatCompletionChunk>;

/** One order. Its fields are those of the last answer about it; `refresh` asks again. */
export class OrderHandle<Body = unknown, Data = unknown> {
  readonly id: string;
  status: OrderStatus;
  /** All fields, with usage and pricing; null between `place` and `refresh`. */
  order: Order | null;
  readonly #core: Core;
  readonly #maxRetries: number;

  constructor({ core, maxRetries, id, status, order }: Handled) {
    this.#core = core;
    this.#maxRetries = maxRetries;
    this.id = id;
    this.status = status;
    this.order = order;
  }

  /** Asks for the order. */
  async refresh(options?: CallOptions): Promise<Order> {
    this.order = await this.#core.orders.getOrder({ id: this.id, include: INCLUDE }, withOptions(options));
    this.status = this.order.status;
    return this.order;
  }

  /** Waits for the answer as long as the order lives. The error of an order that ended without one says that nothing was charged. */
  async result(options?: CallOptions): Promise<Body> {
    const bounded = withEnd(options);
    for (let ms = FIRST_POLL_MS; ; ms = Math.min(ms * 1.5, LONG_POLL_MS)) {
      const { status, body, error, kind } = await this.#core.orders.getOrderResult(
        { id: this.id },
        withOptions(bounded),
      );
      this.status = status;
      if (error) throw await this.#endOf(error);
      if (body !== null) return (BODIES[kind]?.(body) ?? body) as Body;
      if (!(await sleep(ms, bounded.signal))) throw this.#leftWaiting(bounded.signal?.reason);
    }
  }

  /** The events after the one with the number `after`, or all. After a cut it goes on by itself, after the last event. */
  async *stream({
    after,
    ...options
  }: CallOptions & { readonly after?: number } = {}): AsyncGenerator<OrderEvent<Data>> {
    const bounded = withEnd(options);
    let last = after ?? -1;
    let restarted = false;
    for (let fruitless = 0; ; fruitless++) {
      let cut: unknown = new StreamCut(String(last), new Error('It ended before its last event.'));
      try {
        for await (const event of await this.#open(last, bounded)) {
          if (event.data === '[DONE]') return;
          const data = JSON.parse(event.data) as { readonly error?: WireFault | null; readonly object?: string };
          if (data.error?.code) throw await this.#endOf(data.error);
          if (event.id === null) continue;
          last = Number(event.id);
          fruitless = 0;
          yield eventOf<Data>(event, data, restarted);
          restarted = false;
          if (event.event !== null && LAST.includes(event.event)) return;
        }
      } catch (error) {
        const isRestart = last >= 0 && error instanceof ConflictError && error.code === 'stream_restarted';
        if (!isRestart && !(error instanceof StreamCut)) throw error;
        if (isRestart) [last, restarted] = [-1, true];
        cut = error;
      }
      if (fruitless < this.#maxRetries + 1 && (await sleep(backoffMs(fruitless), bounded.signal))) continue;
      if (bounded.signal?.aborted) throw this.#leftWaiting(bounded.signal.reason);
      const facts = { orderId: this.id, charged: await this.#charged(), retryable: true, cause: cut };
      throw new ConnectionError(`The stream was cut after event ${last}, again and again.`, facts);
    }
  }

  /** Changes the limit of a queued order. The `code` of a ConflictError says why it cannot be changed, such as `not_queued`. */
  async reprice(priceLimit: Money, options?: CallOptions): Promise<void> {
    const bounded = withEnd(options);
    const repriceRequest = { ids: [this.id], price_limit: priceLimit };
    for (;;) {
      const { changed, data } = await this.#core.orders.repriceOrders({ repriceRequest }, withOptions(bounded));
      const entry = data[0];
      if (changed > 0 || !entry) return;
      // The market did not confirm in time, and the order still waits.
      if (entry.code === 'unavailable' && (await sleep(FIRST_POLL_MS, bounded.signal))) continue;
      if (bounded.signal?.aborted) throw this.#leftWaiting(bounded.signal.reason);
      const fault = { code: entry.code ?? null, message: entry.reason ?? 'The order cannot be repriced.' };
      throw new ConflictError(fault.message, {
        ...fault,
        status: 409,
        orderId: this.id,
        charged: await this.#charged(),
      });
    }
  }

  /** Ends a queued order, uncharged. It is no error when it is canceled already. */
  async cancel(options?: CallOptions): Promise<void> {
    try {
      this.status = (await this.#core.orders.cancelOrder({ id: this.id }, withOptions(options))).status;
    } catch (error) {
      // An earlier attempt may have canceled it without an answer.
      if (!(error instanceof ConflictError)) throw error;
      await this.refresh(options).catch(() => {});
      if (this.status !== 'canceled') throw error;
    }
  }

  /** The signed receipt of a done order, and the keys to verify it with. */
  async receipt(options?: CallOptions): Promise<OrderReceipt> {
    const { jws } = await this.#core.orders.getOrderReceipt({ id: this.id }, withOptions(options));
    return new OrderReceipt(jws, await this.#core.system.getSigningKeys(withOptions(options)));
  }

  #open(last: number, options: CallOptions): Promise<EventStream> {
    const after = last < 0 ? {} : { startingAfter: last };
    return this.#core.streams.streamOrder({ id: this.id, ...after }, withOptions(options));
  }

  async #endOf(fault: WireFault): Promise<SluiceError> {
    return endOf(this.id, fault, isUncharged(fault) ? false : await this.#charged());
  }

  #leftWaiting(cause: unknown): SluiceError {
    const facts = { orderId: this.id, charged: null, retryable: true, cause };
    return new TimeoutError('The order has not ended; ask for it again.', facts);
  }

  async #charged(): Promise<boolean | null> {
    return this.refresh().then(
      ({ status }) => chargedOf(status),
      () => null,
    );
  }
}

interface Handled {
  readonly core: Core;
  readonly maxRetries: number;
  readonly id: string;
  readonly status: OrderStatus;
  readonly order: Order | null;
}

function eventOf<Data>(event: StreamEvent, data: unknown, restarted: boolean): OrderEvent<Data> {
  const json = data as {
    readonly object?: string;
    readonly type?: string;
    readonly delta?: string | { readonly text?: string };
    readonly choices?: readonly { readonly delta?: { readonly content?: string | null }; readonly text?: string }[];
  };
  const choice = json.choices?.[0];
  const delta = typeof json.delta === 'string' && json.type === 'response.output_text.delta' ? json.delta : null;
  const block = typeof json.delta === 'object' ? json.delta.text : null;
  const text = choice?.delta?.content ?? choice?.text ?? delta ?? block ?? '';
  const typed = json.object === 'chat.completion.chunk' ? ChatCompletionChunkFromJSON(data) : data;
  return { number: Number(event.id), name: event.event, data: typed as Data, text, restarted };
}
