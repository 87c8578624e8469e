/**
 * What a wire shape is: a way to read requests, and to write answers as one object or as a stream. Each shape is a
 * folder of the same small files (request, response, stream, shape) and knows no other; what they share is the
 * vocabulary of `#orders/generation.ts` and the files beside this one. Shapes do no I/O and read no clock.
 */
import type { GenerationEvent } from '#orders/generation.ts';
import type { OrderKind } from '#orders/order.ts';
import type { Answer, OrderEnd } from '#orders/order-port.ts';
import type { InferenceRequest, JsonObject } from '#orders/request.ts';

/** Request headers by lower-case name, as node gives them; `{}` for a batch line, which has none. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One of the four wire shapes. `Echo` is what its renderers need of the request again. */
export interface WireShape<Echo> {
  readonly kind: OrderKind;
  /**
   * Reads a request body, checked or not, with its headers. Throws the Faults of status 400 that depend on nothing but
   * the request itself. Keeps the parts of the body it forwards; never changes them, never copies them deeply.
   */
  parseRequest(body: unknown, headers: RequestHeaders): ParsedRequest<Echo>;
  /** The whole answer as a JSON object. `echo` null: a collected result, whose echoes take their defaults. */
  renderAnswer(order: OrderFacts, answer: Answer, echo: Echo | null): JsonObject;
  /** A stream for one order. An error in band names the request `requestId`, where the shape's errors do. */
  openStream(order: OrderFacts, echo: Echo, requestId: string): StreamEncoder;
}

/** A request as the desk takes it, and what its shape wants to see again when it renders the answer. */
export interface ParsedRequest<Echo> {
  readonly request: InferenceRequest;
  readonly echo: Echo;
}

/** What every shape may say about an order before it ends. */
export interface OrderFacts {
  readonly orderId: string;
  /** The real id of the model, also when the request named an alias. */
  readonly model: string;
  readonly createdAtMs: number;
  /** The published estimate of the prompt, in tokens. */
  readonly promptEstimate: number;
}

/**
 * The text of one stream: a state machine without I/O. Each call returns whole frames or comment lines, possibly '',
 * to be written in the order of the calls. `open` comes first, `ended` last, both once.
 */
export interface StreamEncoder {
  /** What the stream begins with, whether or not the order has to wait. */
  open(): string;
  /** What is written at once while an order waits, and again after each silence. Fits between any two other texts. */
  keepalive(): string;
  /** The frames of a batch of output. A finish is kept back: it goes out with `ended`, after the charge has committed. */
  events(batch: readonly GenerationEvent[]): string;
  /** The frames that end the stream: with the receipt, or with an error in band. */
  ended(end: OrderEnd): string;
}
