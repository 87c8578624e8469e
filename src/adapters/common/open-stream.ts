/** Opens the stream of an order with what it repeats of its request, which may be JSON: it can be megabytes. */
import { exactJson } from '#base/exact-json.ts';
import type { OrderFacts, StreamEncoder, WireShape } from './wire-shape.ts';

/** What can open streams. */
export type StreamShape<Echo> = Pick<WireShape<Echo>, 'openStream' | 'openRepeating'>;

/** What a stream is opened with. */
interface StreamOpening<Echo> {
  readonly order: OrderFacts;
  /** What the shape's `parseRequest` made of the request, or the JSON of that. */
  readonly echo: Echo | Uint8Array;
  readonly requestId: string;
}

/** The stream. JSON is parsed only for shapes whose echo is small. */
export function openStream<Echo>(
  shape: StreamShape<Echo>,
  { order, echo, requestId }: StreamOpening<Echo>,
): StreamEncoder {
  if (!(echo instanceof Uint8Array)) return shape.openStream(order, echo, requestId);
  if (shape.openRepeating) return shape.openRepeating(order, echo);
  return shape.openStream(order, exactJson(Buffer.from(echo).toString()) as Echo, requestId);
}
