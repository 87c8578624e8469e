/**
 * Inference, for every wire shape: a request becomes an order, and the order's end becomes the answer. Refusals that
 * come before the order has an HTTP status; once a stream has begun, everything is told in band. Spec 4.2 to 4.5.
 */
import { acceptedOrder } from '#adapters/accepted.ts';
import type { OrderFacts, ParsedRequest, StreamEncoder, WireShape } from '#adapters/wire-shape.ts';
import type { Clock, Timer } from '#base/clock.ts';
import { eventsOf, type GenerationEvent } from '#orders/generation.ts';
import type { AcceptedOrder, OrderEnd, OrderPort, StoredResult, Ticket, Watcher } from '#orders/order-port.ts';
import type { Headers, Reply, SecuredCall, SecuredHandler, StreamReply, StreamWriter } from './call.ts';
import { customerOf } from './customer.ts';

/** What inference needs. */
export interface InferenceDependencies {
  readonly orders: OrderPort;
  readonly clock: Clock;
}

/** How long a stream may be silent before it says that it is alive. */
export const KEEPALIVE_MS = 10_000;

/** The status of an answer that nobody is there to read, as it shows in logs. */
const CALLER_GONE = 499;

/** The handler of one shape's endpoint. */
export function inferenceHandler<Echo>(
  shape: WireShape<Echo>,
  { orders, clock }: InferenceDependencies,
): SecuredHandler {
  return async (call) => {
    const parsed = shape.parseRequest(call.body, call.headers);
    const { request, echo } = parsed;
    const submission = await orders.submit(customerOf(call.principal), request);
    if (submission.type === 'replay') return replayed(shape, submission.result, parsed, call.requestId);
    if (submission.type === 'accepted-before') return accepted(submission.order);

    const { ticket } = submission;
    if (ticket.detached) return accepted(ticket);
    call.onGone(() => ticket.leave());
    const facts = factsOf(ticket);
    if (request.stream) return streamed(ticket, shape.openStream(facts, echo, call.requestId), call, clock);
    const end = await endOf(ticket, call);
    if (end === 'caller gone') return { status: CALLER_GONE, headers: orderHeaders(facts.orderId) };
    if (end.status !== 'done') throw end.fault.withOrder(ticket.orderId);
    return { status: 200, headers: orderHeaders(facts.orderId), json: shape.renderAnswer(facts, end.answer, echo) };
  };
}

function factsOf(ticket: Ticket): OrderFacts {
  const { orderId, createdAtMs, promptEstimate } = ticket;
  return { orderId, model: ticket.listing.id, createdAtMs, promptEstimate };
}

function orderHeaders(orderId: string): Headers {
  return { 'x-service-order-id': orderId };
}

function endOf(ticket: Ticket, call: SecuredCall): Promise<OrderEnd | 'caller gone'> {
  return new Promise((resolve) => {
    call.onGone(() => resolve('caller gone'));
    ticket.watch({ events: () => {}, ended: resolve });
  });
}

function streamed(ticket: Ticket, encoder: StreamEncoder, call: SecuredCall, clock: Clock): StreamReply {
  return {
    status: 200,
    headers: orderHeaders(ticket.orderId),
    open(out) {
      const stream = new LiveStream(out, encoder, clock);
      call.onGone(() => stream.stop());
      ticket.watch(stream);
    },
  };
}

/** Writes an order's output as it comes, and a sign of life after every ten silent seconds. */
class LiveStream implements Watcher {
  readonly #out: StreamWriter;
  readonly #encoder: StreamEncoder;
  readonly #clock: Clock;
  #timer: Timer;
  #wroteAtMs: number;

  constructor(out: StreamWriter, encoder: StreamEncoder, clock: Clock) {
    this.#out = out;
    this.#encoder = encoder;
    this.#clock = clock;
    this.#wroteAtMs = clock.nowMs();
    this.#timer = clock.after(KEEPALIVE_MS, () => this.#breakSilence());
    out.hold(encoder.open() + encoder.keepalive());
  }

  events(batch: readonly GenerationEvent[]): void {
    const text = this.#encoder.events(batch);
    if (text === '') return;
    this.#wroteAtMs = this.#clock.nowMs();
    // The last words are soon followed by the receipt.
    if (batch.at(-1)?.type === 'finish') this.#out.hold(text);
    else this.#out.write(text);
  }

  ended(end: OrderEnd): void {
    this.stop();
    this.#out.end(this.#encoder.ended(end));
  }

  /** No more signs of life. */
  stop(): void {
    this.#timer.cancel();
  }

  /** One timer for the whole stream, set again here alone: setting one per delta would cost more than the delta. */
  #breakSilence(): void {
    const silentMs = this.#clock.nowMs() - this.#wroteAtMs;
    if (silentMs >= KEEPALIVE_MS) {
      this.#wroteAtMs = this.#clock.nowMs();
      this.#out.write(this.#encoder.keepalive());
    }
    const restMs = silentMs >= KEEPALIVE_MS ? KEEPALIVE_MS : KEEPALIVE_MS - Math.max(0, silentMs);
    this.#timer = this.#clock.after(restMs, () => this.#breakSilence());
  }
}

function accepted(order: AcceptedOrder): Reply {
  return { status: 202, headers: orderHeaders(order.orderId), json: acceptedOrder(order) };
}

/** The answer that an earlier request with the same key got, in the way that this request asks for. */
function replayed<Echo>(
  shape: WireShape<Echo>,
  result: StoredResult,
  { request, echo }: ParsedRequest<Echo>,
  requestId: string,
): Reply {
  const { orderId, model, createdAtMs, answer } = result;
  const facts = { orderId, model, createdAtMs, promptEstimate: request.generation.promptEstimate };
  const headers = orderHeaders(orderId);
  if (!request.stream) return { status: 200, headers, json: shape.renderAnswer(facts, answer, echo) };
  const encoder = shape.openStream(facts, echo, requestId);
  const whole = [
    encoder.open(),
    encoder.events(eventsOf(answer.generation)),
    encoder.ended({ status: 'done', answer }),
  ];
  return { status: 200, headers, open: (out) => out.end(whole.join('')) };
}
