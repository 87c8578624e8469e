/**
 * Responses that are read later, as OpenAI's clients do: polled, followed as a stream, canceled. A response is the order
 * of a Responses request, by the id `resp_<order id>`; nothing else is stored. An extension: docs/decisions/0058.
 */
import type { ResponseAnswer } from '#adapters/common/wire-shape.ts';
import {
  defaultEcho,
  type ResponseEcho,
  renderResponse,
  responseFailure,
  responseObject,
} from '#adapters/responses/response.ts';
import { exactJson } from '#base/exact-json.ts';
import { handlersOf } from '#contract/call.ts';
import type { JsonReply } from '#contract/reply.ts';
import { isTerminal, type OrderRow } from '#orders/order.ts';
import type { OrderPort } from '#orders/order-port.ts';
import { orderHeaders } from './inference.ts';
import { noSuchOrder, orderIdOf } from './order-object.ts';
import {
  endFault,
  type FollowReply,
  type FollowRequest,
  factsOf,
  followed,
  numberBefore,
  type OrderStreamOptions,
} from './order-stream.ts';
import { isBeingStored, storedResult } from './results.ts';

interface ResponsesOptions extends OrderStreamOptions {
  readonly cancels: Pick<OrderPort, 'cancel'>;
}

const PREFIX = 'resp_';

/** getResponse and cancelResponse. Malformed, unknown and foreign ids are 404, and those of other endpoints. */
export function responsesHandlers(options: ResponsesOptions) {
  return handlersOf({
    async getResponse(call) {
      const orderId = responseIdOf(call.params);
      const after = numberBefore(call);
      if (call.query.stream === 'true')
        return followed(options, { call, orderId, after, kind: 'responses', ids: false });
      return currentResponse(options, call, orderId);
    },

    async cancelResponse(call) {
      const orderId = responseIdOf(call.params);
      const order = await findResponse(options, call, orderId);
      if (order.status !== 'canceled') await options.cancels.cancel(call.principal.reach, orderId);
      const canceled = { ...order, status: 'canceled' } as const;
      return { status: 200, headers: orderHeaders(orderId), json: unanswered(canceled) };
    },
  });
}

type ResponseReply = JsonReply<ResponseAnswer, 200>;

/** The response as it is now. Throws result_unavailable for one that is done and not stored any more. */
async function currentResponse(
  options: OrderStreamOptions,
  call: Pick<FollowRequest['call'], 'principal' | 'headersOnly' | 'onSent'>,
  orderId: string,
): Promise<ResponseReply> {
  const order = await findResponse(options, call, orderId);
  const headers = orderHeaders(orderId);
  if (order.status !== 'done') return { status: 200, headers, json: unanswered(order) };
  if (await isBeingStored(order, options.isServing)) {
    return { status: 200, headers: { ...headers, 'retry-after': '1' }, json: pending(order, 'in_progress') };
  }
  const { text, result } = await storedResult(order, options);
  await options.downloads.begin(call, order.accountId, Buffer.byteLength(text));
  const echo = result.stream?.echo ? (exactJson(result.stream.echo) as ResponseEcho) : null;
  return { status: 200, headers, json: renderResponse(factsOf(order), result.answer, echo) };
}

/** What a repeat of a background request gets: the response as it is now, or its stream from the beginning. */
export function backgroundAgain(
  options: OrderStreamOptions,
): (call: FollowRequest['call'], orderId: string, stream: boolean) => Promise<ResponseReply | FollowReply> {
  return (call, orderId, stream) =>
    stream
      ? followed(options, { call, orderId, after: null, kind: 'responses', ids: false })
      : currentResponse(options, call, orderId);
}

function responseIdOf({ id }: { readonly id: string }): string {
  return orderIdOf({ params: { id: id.toLowerCase().startsWith(PREFIX) ? id.slice(PREFIX.length) : '' } });
}

async function findResponse(
  { store }: Pick<ResponsesOptions, 'store'>,
  { principal }: Pick<FollowRequest['call'], 'principal'>,
  orderId: string,
): Promise<OrderRow> {
  const order = await store.find(principal.reach, orderId);
  if (order?.kind !== 'responses') throw noSuchOrder();
  return order;
}

/** A response without an answer, or without one so far. Fields that echo the request have its defaults. */
function unanswered(order: OrderRow): ResponseAnswer {
  if (order.status === 'canceled') return pending(order, 'cancelled');
  if (!isTerminal(order.status)) return pending(order, order.status === 'queued' ? 'queued' : 'in_progress');
  return { ...pending(order, 'failed'), error: responseFailure(endFault(order)) };
}

function pending(order: OrderRow, status: ResponseAnswer['status']): ResponseAnswer {
  return responseObject(factsOf(order), { ...defaultEcho, background: order.detached }, { status });
}
