/**
 * Inference for every wire shape: a request becomes an order, and the end of the order becomes the response. A refusal
 * before that has an HTTP status; once a stream has begun, errors are events of the stream. Spec 4.2 to 4.5.
 */
import assert from 'node:assert';
import type { PriceLimits, Principal } from '#access/principal.ts';
import { managesAll } from '#access/scopes.ts';
import { acceptedOrder } from '#adapters/common/envelope.ts';
import { forwardable } from '#adapters/common/extensions.ts';
import { NumberedStream } from '#adapters/common/numbered-stream.ts';
import { type OrderFacts, openStream, type StreamEncoder, type WireShape } from '#adapters/common/wire-shape.ts';
import type { Clock, Timer } from '#base/clock.ts';
import { Fault, invalidRequest } from '#base/fault.ts';
import type { PriceNano } from '#base/money.ts';
import { releaseBytes } from '#base/release-bytes.ts';
import { ReadElsewhere, type SecuredCall } from '#contract/call.ts';
import type { FramesReply, GoneReply, Headers, JsonOf, JsonReply, StreamReply, StreamWriter } from '#contract/reply.ts';
import type { Listings } from '#market/listing.ts';
import type { AcceptedOrder, OrderEnd, OrderPort, Submission, Ticket, Watcher } from '#orders/order-port.ts';
import type { FollowedFacts } from '#orders/order-stream.ts';
import type { Customer, GenerationRequest, JsonObject, PackedInput } from '#orders/request.ts';
import { promptEstimateFor } from '#orders/token-estimate.ts';
import type { GenerationEvent } from '#results/generation.ts';
import type { Result } from '#results/result.ts';
import { type DryRunHandler, type DryRunReply, isDryRun } from './dry-run.ts';
import { storedOrder } from './ended-source.ts';
import { type FailedRepeats, REPLAYED } from './failed-repeats.ts';
import type { ReadRequest } from './large-bodies.ts';
import type { FollowRequest } from './order-stream.ts';
import { framesOf, KEEPALIVE_MS, StreamReader } from './stream-reader.ts';
import { isStrict, warningOf } from './strictness.ts';

interface InferenceOptions<Answered = JsonObject, Accepted = never> {
  readonly orders: OrderPort;
  readonly clock: Clock;
  readonly listings: Listings;
  readonly dryRun: DryRunHandler;
  /** The reply about an order that goes on without its caller; absent if the operation accepts no such order. */
  readonly accepted?: (order: AcceptedOrder, headers: Headers) => Accepted;
  /** What a repeat gets of an order in the background, where that is not the order itself. */
  readonly again?: (call: FollowRequest['call'], orderId: string, stream: boolean) => Promise<Answer<Answered>>;
  /** Whether the operator lets responses go on without their caller; absent in the other shapes. Spec 4.4. */
  readonly background?: boolean;
  /** Knows the orders with an attempt that has just failed; null or absent where that is off. */
  readonly repeats?: Pick<FailedRepeats, 'begin'> | null;
}

type Inference = 'createChatCompletion' | 'createCompletion' | 'createResponse' | 'createMessage';

/** The call of the endpoint that takes this body. */
type InferenceCall<Body> = Omit<SecuredCall<Inference>, 'body'> & { readonly body: Body | ReadElsewhere };

/** The answer to a request, whole or as a stream. */
type Answer<Answered> = JsonReply<Answered, 200> | StreamReply | FramesReply;

/** The handler for the endpoint of one wire shape. */
export function inferenceHandler<Echo, Body, Answered extends JsonObject, Accepted = never>(
  shape: WireShape<Echo, Body, Answered>,
  options: InferenceOptions<Answered, Accepted>,
): (call: InferenceCall<Body>) => Promise<Answer<Answered> | Accepted | DryRunReply | GoneReply> {
  const accepted = (order: AcceptedOrder, headers: Headers) => {
    assert(options.accepted, `order ${order.orderId} goes on without its caller`);
    return options.accepted(order, headers);
  };
  return async (call) => {
    if (isDryRun(call.headers)) return dryRun(shape, call, options);
    const { submission, repeat, asked } = await submitted(shape, call, options);
    const { stream, echo, echoJson, notes } = asked;
    // Until its input is in its file, the body is in memory and counts as being read.
    const written = submission.type === 'order' ? submission.ticket.inputWritten : null;
    if (written) void written.then(() => call.dropBody());
    else call.dropBody();
    const { clock, again } = options;
    if (submission.type === 'replay') return replayed(shape, submission.result, asked, { call, clock });
    if (submission.type === 'accepted-before') {
      const { order } = submission;
      if (again) return withHeaders(await again(call, order.orderId, stream), { ...REPLAYED, ...notes });
      return accepted(order, { ...REPLAYED, ...notes });
    }

    const { ticket } = submission;
    const follow = () => repeat?.follow(ticket);
    const noted = repeat?.joined ? { ...REPLAYED, ...notes } : notes;
    const facts = factsOf(ticket);
    const headers = { ...orderHeaders(facts.orderId), ...noted };
    if (ticket.detached && !stream) {
      follow();
      if (!shape.renderQueued) return accepted(ticket, noted);
      return { status: 200, headers, json: shape.renderQueued(facts, echo()) };
    }
    call.onGone(() => ticket.leave());
    if (stream) {
      const encoder = openStream(shape, { order: facts, echo: echoJson ?? echo(), requestId: call.requestId });
      return streamed(ticket, encoder, { call, clock, headers, follow });
    }
    const ended = endOf(ticket, call);
    follow();
    const end = await ended;
    if (end === 'caller gone') return { status: 499 };
    if (end.status !== 'done') {
      const fault = end.fault.withOrder(ticket.orderId);
      const isReplay = repeat?.joined && fault.code === 'backend_error';
      throw withNotes(isReplay ? fault.withHeaders(REPLAYED) : fault, notes);
    }
    return { status: 200, headers, json: shape.renderAnswer(facts, end.answer, echo()) };
  };
}

/** What a reply needs of the request once the order is taken: the rest of it is dropped while the order waits. */
interface Asked<Echo> {
  readonly stream: boolean;
  readonly echo: () => Echo;
  /** The same in JSON, where a thread has read the request. */
  readonly echoJson: Uint8Array | undefined;
  readonly promptEstimate: number;
  /** Headers of any answer: what is misspelt in the request, and when its model stops taking requests. */
  readonly notes: Headers;
}

async function submitted<Echo, Body>(
  shape: WireShape<Echo, Body>,
  call: InferenceCall<Body>,
  { orders, listings, background, repeats }: Pick<InferenceOptions, 'orders' | 'listings' | 'background' | 'repeats'>,
): Promise<{
  readonly submission: Submission;
  readonly repeat: ReturnType<FailedRepeats['begin']> | undefined;
  readonly asked: Asked<Echo>;
}> {
  const { request, echo, echoJson, warning } = requestOf(shape, call, background);
  const { stream, model } = request;
  const listing = model === null ? listings.default : listings.find(model);
  const promptEstimate = listing ? promptEstimateFor(request.generation, listing) : 0;
  const notes = { ...warning, ...sunsetHeaders(listings, model) };
  const asked = { stream, echo, echoJson, promptEstimate, notes };
  try {
    const repeat = repeats?.begin(call.principal.key.id, request);
    if (repeat?.joined) return { submission: { type: 'order', ticket: repeat.joined }, repeat, asked };
    const submission = await orders.submit(customerOf(call.principal), {
      ...request,
      rendering: echo,
      trace: call.trace,
    });
    return { submission, repeat, asked };
  } catch (error) {
    // The request was too large to wait and became no order, so there is nothing to repeat.
    if (echoJson && error instanceof Fault && error.code === 'queued_bytes_exceeded') releaseBytes(echoJson);
    throw withNotes(error, notes);
  }
}

async function dryRun<Echo, Body>(
  shape: WireShape<Echo, Body>,
  call: InferenceCall<Body>,
  options: Pick<InferenceOptions, 'dryRun' | 'listings' | 'background'>,
): Promise<DryRunReply> {
  const { request, warning } = requestOf(shape, call, options.background);
  const headers = { ...warning, ...sunsetHeaders(options.listings, request.model) };
  try {
    const reply = await options.dryRun(customerOf(call.principal), { ...request, trace: call.trace });
    return { ...reply, headers };
  } catch (error) {
    throw withNotes(error, headers);
  }
}

/** Any refusal warns of misspelt names: they may be why the request was not paid for, or waited too long. */
function withNotes(error: unknown, notes: Headers): unknown {
  if (!(error instanceof Fault)) return error;
  if (error.status === 400) return error.withHeaders(notes);
  const { 'x-warning': warning } = notes;
  return warning === undefined ? error : error.withHeaders({ 'x-warning': warning });
}

/**
 * The request as its shape reads it, and the header that warns of misspelt names. Throws what the shape throws, and
 * invalid_request for those names where they are refused and for `background: true` where that is off.
 */
function requestOf<Echo, Body>(
  shape: WireShape<Echo, Body>,
  call: InferenceCall<Body>,
  background = true,
): ReadRequest<Echo, PackedInput | GenerationRequest> & { readonly warning: Headers } {
  const strict = isStrict(call.headers, call.principal);
  const read = readRequest(shape, call);
  const { detached, misspelt } = read.request.extensions;
  if (!background && detached) throw invalidRequest('background', NO_BACKGROUND);
  return { ...read, warning: warningOf(misspelt, strict) };
}

const NO_BACKGROUND =
  'background: true is not supported here: send the request to /v1/chat/completions with detached: true, and read its result later.';

function readRequest<Echo, Body>(
  shape: WireShape<Echo, Body>,
  { body, headers }: InferenceCall<Body>,
): ReadRequest<Echo, PackedInput | GenerationRequest> {
  if (body instanceof ReadElsewhere) return body.as<ReadRequest<Echo>>();
  const { request, echo } = shape.parseRequest(forwardable(body), headers);
  return { request, echo: () => echo };
}

function factsOf(ticket: Ticket): OrderFacts {
  const { orderId, createdAtMs, promptEstimate } = ticket;
  return { orderId, model: ticket.listing.id, createdAtMs, promptEstimate };
}

/** Names the order of a reply. */
export function orderHeaders(orderId: string): Headers {
  return { 'x-service-order-id': orderId };
}

function endOf(ticket: Ticket, call: Pick<SecuredCall<Inference>, 'onGone'>): Promise<OrderEnd | 'caller gone'> {
  return new Promise((resolve) => {
    call.onGone(() => resolve('caller gone'));
    ticket.watch({ events: () => {}, ended: resolve });
  });
}

function streamed(
  ticket: Ticket,
  encoder: StreamEncoder,
  {
    call,
    clock,
    headers,
    follow,
  }: { call: Pick<SecuredCall<Inference>, 'onGone'>; clock: Clock; headers: Headers; follow: () => void },
): StreamReply {
  return {
    status: 200,
    headers,
    repeated: encoder.repeated,
    open(out) {
      const stream = new LiveStream(out, encoder, { clock, ticket });
      call.onGone(() => stream.stop());
      ticket.watch(stream);
      follow();
    },
  };
}

/** Writes the output of an order as it comes, and a keepalive after every ten silent seconds. */
class LiveStream implements Watcher {
  readonly #out: StreamWriter;
  readonly #encoder: StreamEncoder;
  readonly #clock: Clock;
  readonly #ticket: Ticket;
  #timer: Timer;
  #wroteAtMs: number;
  #stopped = false;

  constructor(out: StreamWriter, encoder: StreamEncoder, { clock, ticket }: { clock: Clock; ticket: Ticket }) {
    this.#out = out;
    this.#ticket = ticket;
    this.#encoder = encoder;
    this.#clock = clock;
    this.#wroteAtMs = clock.monotonicMs();
    this.#timer = clock.after(KEEPALIVE_MS, () => this.#keepAlive());
    out.hold(encoder.open() + encoder.keepalive());
  }

  events(batch: readonly GenerationEvent[]): void {
    if (this.#stopped) return;
    const text = this.#encoder.events(batch);
    if (text === '') return;
    this.#wroteAtMs = this.#clock.monotonicMs();
    // The receipt soon follows the last events.
    if (batch.at(-1)?.type === 'finish') this.#out.hold(text);
    else this.#out.write(text);
  }

  ended(end: OrderEnd): void {
    if (this.#stopped) return;
    this.stop();
    let last = '';
    try {
      last = this.#encoder.ended(end);
    } finally {
      // A stream without its last event is recognized as cut short; left open, it would never end.
      this.#out.end(last);
    }
  }

  /** Writes nothing more: its caller is gone, whereas others may still wait for the order. */
  stop(): void {
    this.#stopped = true;
    this.#timer.cancel();
  }

  /** One timer for the whole stream, set again only here: setting one per delta would cost more than the delta. */
  #keepAlive(): void {
    const silentMs = this.#clock.monotonicMs() - this.#wroteAtMs;
    if (silentMs >= KEEPALIVE_MS) {
      this.#wroteAtMs = this.#clock.monotonicMs();
      this.#out.write(this.#encoder.keepalive());
      if (this.#encoder.progress) this.#ticket.progressed();
    }
    const restMs = silentMs >= KEEPALIVE_MS ? KEEPALIVE_MS : KEEPALIVE_MS - silentMs;
    this.#timer = this.#clock.after(restMs, () => this.#keepAlive());
  }
}

function withHeaders<Any extends { readonly headers?: Headers }>(reply: Any, more: Headers): Any {
  return { ...reply, headers: { ...reply.headers, ...more } };
}

/** 202: the order itself, for the shapes whose orders may go on without their caller. */
export function acceptedReply(
  order: AcceptedOrder,
  more: Headers,
): JsonReply<JsonOf<'createChatCompletion', 202>, 202> {
  return { status: 202, headers: { ...orderHeaders(order.orderId), ...more }, json: acceptedOrder(order) };
}

/** The result of an earlier request with the same Idempotency-Key, rendered as this request asks for. */
function replayed<Echo, Answered extends JsonObject>(
  shape: Pick<WireShape<Echo, never, Answered>, 'kind' | 'renderAnswer' | 'openStream' | 'openRepeating'>,
  result: Result,
  { stream, echo, echoJson, promptEstimate, notes }: Asked<Echo>,
  { call, clock }: { readonly call: Pick<SecuredCall<Inference>, 'requestId'>; readonly clock: Clock },
): Answer<Answered> | Promise<Answer<Answered>> {
  const { orderId, model, createdAtMs, answer } = result;
  const facts = { orderId, model, createdAtMs, promptEstimate };
  const headers = { ...orderHeaders(orderId), ...REPLAYED, ...notes };
  if (!stream) return { status: 200, headers, json: shape.renderAnswer(facts, answer, echo()) };
  const encoder = openStream(shape, { order: facts, echo: echoJson ?? echo(), requestId: call.requestId });
  return replayedStream({ ...facts, kind: shape.kind }, result, encoder, { headers, clock });
}

/** The same events as at first, which somebody may follow on from any of them. */
async function replayedStream(
  facts: FollowedFacts,
  result: Result,
  encoder: StreamEncoder,
  { headers, clock }: { readonly headers: Headers; readonly clock: Clock },
): Promise<FramesReply> {
  const all = { after: -1, ids: false };
  const order = storedOrder(facts, result);
  const reader = new StreamReader(order, new NumberedStream(encoder, all));
  const frames = framesOf(reader, await reader.position(all.after, ''), clock);
  return { status: 200, headers, repeated: encoder.repeated, frames, heldBytes: () => order.heldBytes() };
}

/** The customer with its defaults: a price limit of the key comes before one of the account. */
export function customerOf({ account, key, reach }: Principal): Customer {
  return {
    accountId: account.id,
    keyId: key.id,
    readsOwn: reach.keyId !== null,
    evictsOwn: !managesAll(key),
    limitFor: (model) => ownLimit(key.priceLimits, model) ?? ownLimit(account.priceLimits, model),
    priceLock: account.priceLock,
    orderTimeoutS: account.orderTimeoutS,
    retentionDays: account.retentionDays,
    models: key.models,
    budget: key.budget,
    logPayloads: account.logPayloads,
    house: account.house,
  };
}

function ownLimit(limits: PriceLimits, model: string): PriceNano | null {
  return Object.hasOwn(limits, model) ? (limits[model] ?? null) : null;
}

const NONE: Headers = {};

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of a model by id or alias, null for the default; none without a date. */
export function sunsetHeaders(listings: Listings, model: string | null): Headers {
  const { sunsetAtS = null } = (model === null ? listings.default : listings.find(model)) ?? {};
  if (sunsetAtS === null) return NONE;
  return { deprecation: `@${sunsetAtS}`, sunset: new Date(sunsetAtS * 1000).toUTCString() };
}
