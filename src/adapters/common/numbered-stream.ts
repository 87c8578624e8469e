/**
 * The events of a stream by their numbers: the first is 0, and the n-th says the same whenever it is sent. Comments and
 * pings have none. docs/decisions/0058.
 */
import type { OrderEnd } from '#orders/order-port.ts';
import type { GenerationEvent } from '#results/generation.ts';
import type { StreamEncoder } from './wire-shape.ts';

const FRAME_END = '\n\n';

/** How the events are written. */
interface Numbering {
  /** Events up to this number are left out; -1 leaves out none. */
  readonly after: number;
  /** Whether each says its number in an `id:` line. */
  readonly ids: boolean;
}

/** Counts the events of an encoder, and leaves out those that a caller has. */
export class NumberedStream {
  readonly #encoder: StreamEncoder;
  readonly #numbering: Numbering;
  #count = 0;

  constructor(encoder: StreamEncoder, numbering: Numbering) {
    this.#encoder = encoder;
    this.#numbering = numbering;
  }

  /** What is to be written for each `REPEATED` in its texts; absent where they have none. */
  get repeated(): Uint8Array | undefined {
    return this.#encoder.repeated;
  }

  /** The events so far, with those that were left out. */
  get count(): number {
    return this.#count;
  }

  open(): string {
    return this.#number(this.#encoder.open());
  }

  pulse(): string {
    return this.#encoder.pulse?.() ?? this.#encoder.keepalive();
  }

  /** The keepalive that the caller's own stream had here. */
  progress(): string {
    if (this.#count > this.#numbering.after) return this.#number(this.#encoder.progress?.() ?? '');
    this.#skip(1);
    return '';
  }

  events(batch: readonly GenerationEvent[]): string {
    return this.#number(this.#encoder.events(batch));
  }

  /** The frames that end the stream. */
  ended(end: OrderEnd): string {
    return this.#number(this.#encoder.ended(end));
  }

  /** An error that ends it right behind `after`, because the events before it are not kept. */
  failed(end: OrderEnd): string {
    this.#skip(Math.max(0, this.#numbering.after + 1 - this.#count));
    return this.#number(this.#encoder.ended(end));
  }

  #skip(count: number): void {
    this.#encoder.skip?.(count);
    this.#count += count;
  }

  /** The text is whole frames: JSON has no line breaks. */
  #number(text: string): string {
    const { after, ids } = this.#numbering;
    let kept = '';
    for (let from = 0; from < text.length; ) {
      const end = text.indexOf(FRAME_END, from) + FRAME_END.length;
      const number = this.#count++;
      if (number > after) kept += (ids ? `id: ${number}\n` : '') + text.slice(from, end);
      from = end;
    }
    return kept;
  }
}
