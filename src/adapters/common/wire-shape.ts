/**
 * The interface of a wire shape: it reads requests, and writes answers as one object or as a stream. Each shape is a
 * folder with the same small files (request, response, stream, shape) and does not know the others; they share the
 * types of `#results/generation.ts` and the files of this folder. Shapes do no I/O and read no clock.
 */
import { exactJson } from '#base/exact-json.ts';
import type { LaxJson } from '#base/sent-json.ts';
import type { components } from '#generated/types.ts';
import type { Validator } from '#generated/validators.js';
import type { OrderKind } from '#orders/order.ts';
import type { OrderEnd } from '#orders/order-port.ts';
import type { GenerationRequest, InferenceRequest, JsonObject } from '#orders/request.ts';
import type { GenerationEvent } from '#results/generation.ts';
import type { Answer } from '#results/result.ts';

type Schemas = components['schemas'];

/** The types of validated bodies, from the interface document. */
export type ChatBody = Schemas['ChatCompletionRequest'];
export type CompletionBody = Schemas['CompletionRequest'];
export type ResponseBody = Schemas['ResponseRequest'];
export type MessageBody = Schemas['MessageRequest'];
/** The fields of a Messages body whose tokens are counted. */
export type CountBody = Schemas['CountTokensRequest'];

/** The answers as they are rendered. */
export type ChatAnswer = LaxJson<Schemas['ChatCompletion']>;
export type CompletionAnswer = LaxJson<Schemas['TextCompletion']>;
export type ResponseAnswer = LaxJson<Schemas['ResponseObject']>;
export type MessageAnswer = LaxJson<Schemas['Message']>;

/** Request headers by lower-case name, as in Node; `{}` for a batch line, which has none. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * One of the four wire shapes. `Body` is its documented request, `Answered` its documented answer, `Echo` what its
 * renderers need of the request.
 */
export interface WireShape<Echo, Body = unknown, Answered extends JsonObject = JsonObject> {
  readonly kind: OrderKind;
  /** The validator of its endpoint, for batch lines; bodies of HTTP requests are validated before the handler. */
  readonly isBody: Validator<Body>;
  /**
   * Reads a body that `isBody` accepts, with its headers. Throws Faults of status 400 for rules that the schema cannot
   * express and that depend only on the request. Keeps references to the forwarded parts of the body; never changes
   * them, never copies them deeply.
   */
  parseRequest(body: Body, headers: RequestHeaders): ParsedRequest<Echo>;
  /** The answer as one JSON object. `echo` null: a collected result, whose echoed fields have their defaults. */
  renderAnswer(order: OrderFacts, answer: Answer, echo: Echo | null): Answered;
  /** The answer to a request whose order goes on in the background; absent where that is the order itself (202). */
  renderQueued?(order: OrderFacts, echo: Echo): Answered;
  /** What a stream repeats of a request that is not known any more. */
  readonly defaultEcho: Echo;
  /** A stream for one order. `requestId` is for error events, in shapes whose errors have it. */
  openStream(order: OrderFacts, echo: Echo, requestId: string): StreamEncoder;
  /** The same for an echo in JSON, which is not written again for each event; absent where an echo is always small. */
  openRepeating?(order: OrderFacts, echo: Uint8Array): StreamEncoder;
}

/** A request for the order service, and what the shape needs of it to render the answer. */
export interface ParsedRequest<Echo> {
  readonly request: InferenceRequest<GenerationRequest>;
  readonly echo: Echo;
}

/** What every shape can render of an order before it ends. */
export interface OrderFacts {
  readonly orderId: string;
  /** The real id of the model, also when the request named an alias. */
  readonly model: string;
  readonly createdAtMs: number;
  /** The published estimate of the prompt, in tokens. */
  readonly promptEstimate: number;
}

/**
 * Encodes one stream: a state machine without I/O. Each call returns complete frames or comment lines, possibly '', to
 * be written in the order of the calls. `open` is called first, `ended` last, each once.
 */
export interface StreamEncoder {
  /** What is to be written for each `REPEATED` in its texts; absent where they have none. It never changes. */
  readonly repeated?: Uint8Array;
  /** The opening of the stream, whether or not the order has to wait. */
  open(): string;
  /** Written at once while an order waits, and again after each silence. Allowed between any two other texts. */
  keepalive(): string;
  /** The same for a follower of an order: only frames without a number. Absent in shapes whose keepalives have none. */
  pulse?(): string;
  /**
   * The event in a keepalive, in shapes where it has a number: it is part of the stream and is sent again to followers.
   */
  progress?(): string;
  /** Takes the numbers of events that are not written, in shapes whose events say theirs. */
  skip?(count: number): void;
  /** The frames of several events. A finish is held: it is sent with `ended`, after the charge has committed. */
  events(batch: readonly GenerationEvent[]): string;
  /** The frames that end the stream: with the receipt, or with an error. */
  ended(end: OrderEnd): string;
}

/** What can open streams. */
export type StreamShape<Echo> = Pick<WireShape<Echo>, 'openStream' | 'openRepeating'>;

/**
 * Opens the stream of an order with what it repeats of its request: what `parseRequest` made of that, or the JSON, which can
 * be megabytes and is parsed only for shapes whose echo is small.
 */
export function openStream<Echo>(
  shape: StreamShape<Echo>,
  {
    order,
    echo,
    requestId,
  }: { readonly order: OrderFacts; readonly echo: Echo | Uint8Array; readonly requestId: string },
): StreamEncoder {
  if (!(echo instanceof Uint8Array)) return shape.openStream(order, echo, requestId);
  if (shape.openRepeating) return shape.openRepeating(order, echo);
  return shape.openStream(order, exactJson(Buffer.from(echo).toString()) as Echo, requestId);
}
