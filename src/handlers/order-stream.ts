/**
 * The stream of an order, read again from any event on: while it lives from its gateway, afterwards from its stored
 * result. Only orders that go on without their caller can be followed. docs/decisions/0058; docs/understand/lifecycle.md.
 */
import { NumberedStream } from '#adapters/common/numbered-stream.ts';
import { openStream, type StreamEncoder, type StreamShape } from '#adapters/common/wire-shape.ts';
import type { FairShare } from '#base/fair-share.ts';
import { Fault, isFaultCode } from '#base/fault.ts';
import { handlersOf, type SecuredCall } from '#contract/call.ts';
import type { FramesReply, Headers, StreamReply } from '#contract/reply.ts';
import { queries } from '#generated/queries.ts';
import { isFollowable, isTerminal, type OrderKind, type OrderRow } from '#orders/order.ts';
import type { FollowedFacts, FollowedOrder, FollowPort } from '#orders/order-stream.ts';
import type { ResultStore } from '#results/ports.ts';
import { type EndedUnanswered, endedUnanswered, storedOrder } from './ended-source.ts';
import { noSuchOrder, orderIdOf } from './order-object.ts';
import { isBeingStored, type ResultsOptions, storedResult } from './results.ts';
import { framesOf, StreamReader } from './stream-reader.ts';

/** What can render the stream of an order. */
type FollowedShape<Echo> = StreamShape<Echo> & { readonly defaultEcho: unknown };

/** What following needs. */
export interface OrderStreamOptions
  extends Pick<ResultsOptions, 'store' | 'downloads' | 'clock' | 'log' | 'isServing'> {
  readonly orders: FollowPort;
  /** Streams of live orders that are followed, by account. */
  readonly followers: FairShare;
  readonly results: Pick<ResultStore, 'get'>;
  readonly shapes: Readonly<Record<OrderKind, FollowedShape<never>>>;
}

const RETRY_S = 1;
/** Of all followed streams in a gateway. Each has an encoder and a connection. */
export const FOLLOWERS_AT_ONCE = 4_096;
const TOO_MANY = { message: 'This account follows too many orders at once. Close a stream first.', retryAfterS: 1 };

/** streamOrder. Malformed, unknown and foreign ids are 404. */
export function orderStreamHandlers(options: OrderStreamOptions) {
  return handlersOf({
    streamOrder: (call) =>
      followed(options, { call, orderId: orderIdOf(call), after: numberBefore(call), kind: null, ids: true }),
  });
}

/** The reply with a stream. */
export type FollowReply = FramesReply | StreamReply;

/** Which stream is asked for. */
export interface FollowRequest {
  readonly call: Pick<SecuredCall<'streamOrder'>, 'principal' | 'headersOnly' | 'requestId' | 'onGone' | 'onSent'>;
  readonly orderId: string;
  /** The number of the last event that the caller has, and the parameter that gave it; null for none. */
  readonly after: { readonly number: number; readonly param: string } | null;
  /** Orders of other kinds are not found; null: any. */
  readonly kind: OrderKind | null;
  readonly ids: boolean;
}

/** The stream of an order from an event on. */
export async function followed(options: OrderStreamOptions, asked: FollowRequest): Promise<FollowReply> {
  const { call, orderId, after, kind, ids } = asked;
  const source = await sourceOf(options, asked);
  try {
    if (kind !== null && source.kind !== kind) throw noSuchOrder();
    if (after && source.restarted) throw new Fault('stream_restarted', { orderId, param: after.param });
    const headers: Headers = { 'x-service-order-id': orderId };
    if (call.headersOnly) {
      source.close();
      return { status: 200, headers, open: () => {} };
    }
    // Reading a live stream counts, too: every reading renders it again, with the parts of the request that it repeats,
    // which may be megabytes.
    await options.downloads.begin(call, call.principal.account.id, source.toldBytes);
    const numbering = { after: after?.number ?? -1, ids };
    const stream = new NumberedStream(encoderOf(source, call, options), numbering);
    if ('end' in source) {
      const whole = stream.open() + stream.failed(source.end);
      return { status: 200, headers, open: (out) => out.end(whole) };
    }
    call.onGone(() => source.close());
    const reader = new StreamReader(source, stream);
    const first = await reader.position(numbering.after, after?.param ?? '');
    const heldBytes = () => source.heldBytes();
    const accountId = call.principal.account.id;
    options.followers.require(accountId, TOO_MANY);
    const frames = options.followers.during(accountId, framesOf(reader, first, options.clock), TOO_MANY);
    return { status: 200, headers, repeated: stream.repeated, frames, heldBytes };
  } catch (error) {
    source.close();
    throw error;
  }
}

/**
 * The higher one of the numbers in `starting_after` and in the header that a browser's EventSource sends when it connects
 * again: its address still has the number that it began with.
 */
export function numberBefore({
  query,
  headers,
}: Pick<SecuredCall<'streamOrder'>, 'query' | 'headers'>): FollowRequest['after'] {
  const begun = numberIn(query.starting_after, 'starting_after');
  const { starting_after: numberOf } = queries.streamOrder.readers;
  const reached = numberIn(numberOf(headers['last-event-id'] || null, 'Last-Event-ID'), 'Last-Event-ID');
  return begun && reached && begun.number > reached.number ? begun : (reached ?? begun);
}

function numberIn(number: number | null, param: string): FollowRequest['after'] {
  return number === null ? null : { number, param };
}

function encoderOf(source: FollowedOrder, call: FollowRequest['call'], { shapes }: OrderStreamOptions): StreamEncoder {
  // The echo was made by the shape of this kind, or is its default.
  const shape = shapes[source.kind] as FollowedShape<unknown>;
  const echo = source.echo === undefined ? shape.defaultEcho : source.echo;
  return openStream(shape, { order: source, echo, requestId: call.requestId });
}

/** Where the events are. The order is looked for again when it ended in between. */
async function sourceOf(
  options: OrderStreamOptions,
  { call, orderId }: FollowRequest,
): Promise<FollowedOrder | EndedUnanswered> {
  const { reach } = call.principal;
  const live = await options.orders.follow(reach, orderId);
  if (live) return live;
  const order = await options.store.find(reach, orderId);
  if (!order) throw noSuchOrder();
  if (!isFollowable(order)) throw new Fault('order_not_followable', { orderId });
  // It moves from one gateway to another.
  if (!isTerminal(order.status)) {
    const late = await options.orders.follow(reach, orderId);
    if (!late) throw new Fault('unavailable', { retryAfterS: RETRY_S });
    return late;
  }
  if (order.status !== 'done') return endedUnanswered(factsOf(order), endFault(order));
  if (await isBeingStored(order, options.isServing)) {
    const message = 'The answer of this order is being stored.';
    throw new Fault('result_pending', { message, retryAfterS: RETRY_S });
  }
  const { result } = await storedResult(order, options);
  return storedOrder(factsOf(order), result);
}

/** What is known about the order besides its stream. */
export function factsOf({ id, kind, model, createdAtMs, promptEstimate }: OrderRow): FollowedFacts {
  return { orderId: id, kind, model, createdAtMs, promptEstimate };
}

/** Why an order ended without an answer, as a Fault. Some reasons are only in rows. */
export function endFault({ id, status, error, errorMessage }: OrderRow): Fault {
  const known = error !== null && isFaultCode(error) ? error : 'internal_error';
  const code = status === 'canceled' ? 'order_canceled' : known;
  return new Fault(code, { ...(errorMessage === null ? {} : { message: errorMessage }), orderId: id });
}
