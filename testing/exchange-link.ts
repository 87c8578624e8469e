/**
 * An exactly-once FIFO over a channel that delays, repeats, loses and reorders. Messages are numbered. The receiver
 * buffers those that arrive early and acknowledges all up to the first gap. The sender retransmits what is not
 * acknowledged in time. Both ends of a conversation are a `Link`; each sends and receives.
 */
import type { Clock, Timer } from '#base/clock.ts';

/** A message with its number, from 1, or the acknowledgement of everything up to a number. */
export type Packet<Message> =
  | { readonly type: 'message'; readonly seq: number; readonly message: Message }
  | { readonly type: 'ack'; readonly upTo: number };

/** An unreliable channel: a packet may arrive late, twice, in another order or never, but never changed. */
export interface Channel<Out, In> {
  send(packet: Packet<Out>): void;
  listen(onPacket: (packet: Packet<In>) => void): void;
}

/** How one end of a link behaves. Both ends need the same `windowMax`. */
export interface LinkOptions<Out, In> {
  readonly channel: Channel<Out, In>;
  readonly clock: Clock;
  /** How long to wait for an acknowledgement before the message is sent again. */
  readonly repeatMs: number;
  /** The most messages in flight; also the most early messages that the receiver buffers. */
  readonly windowMax: number;
  /** The most messages without an acknowledgement, including those in flight. */
  readonly backlogMax: number;
}

/** One end: a message sent here arrives at the other end once and in order, and the reverse. */
export class Link<Out, In> {
  readonly #options: LinkOptions<Out, In>;
  /** Sent or waiting to be sent, and not yet acknowledged. The first has the number `#firstSeq`. */
  #backlog: Out[] = [];
  #firstSeq = 1;
  #timer: Timer | null = null;
  readonly #early = new Map<number, In>();
  #nextSeq = 1;
  #onMessage: ((message: In) => void) | null = null;

  constructor(options: LinkOptions<Out, In>) {
    this.#options = options;
  }

  /** Throws Error when `backlogMax` messages are unacknowledged: the other end has been silent for too long. */
  send(message: Out): void {
    if (this.#backlog.length >= this.#options.backlogMax)
      throw new Error('the other end of the link does not acknowledge messages');
    this.#backlog.push(message);
    if (this.#backlog.length <= this.#options.windowMax) this.#transmit(this.#backlog.length - 1);
    this.#repeatLater();
  }

  /** Called once for each message of the other end, in order. One listener; nothing is read from the channel before. */
  listen(onMessage: (message: In) => void): void {
    this.#onMessage = onMessage;
    this.#options.channel.listen((packet) => {
      if (packet.type === 'ack') this.#acknowledged(packet.upTo);
      else this.#arrived(packet.seq, packet.message);
    });
  }

  /** Stops retransmitting. An unacknowledged message may or may not arrive. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#backlog = [];
  }

  #arrived(seq: number, message: In): void {
    if (seq >= this.#nextSeq && seq < this.#nextSeq + this.#options.windowMax) this.#early.set(seq, message);
    for (let next = this.#early.get(this.#nextSeq); next !== undefined; next = this.#early.get(this.#nextSeq)) {
      this.#early.delete(this.#nextSeq);
      this.#nextSeq++;
      this.#onMessage?.(next);
    }
    // Sent also for a message that had already arrived: its first acknowledgement may have been lost.
    this.#options.channel.send({ type: 'ack', upTo: this.#nextSeq - 1 });
  }

  #acknowledged(upTo: number): void {
    const arrived = upTo - this.#firstSeq + 1;
    if (arrived <= 0 || this.#backlog.length === 0) return;
    this.#backlog.splice(0, arrived);
    this.#firstSeq = upTo + 1;
    const { windowMax } = this.#options;
    for (let index = Math.max(0, windowMax - arrived); index < Math.min(windowMax, this.#backlog.length); index++) {
      this.#transmit(index);
    }
    this.#timer?.cancel();
    this.#timer = null;
    this.#repeatLater();
  }

  #repeatLater(): void {
    if (this.#timer || this.#backlog.length === 0) return;
    this.#timer = this.#options.clock.after(this.#options.repeatMs, () => {
      this.#timer = null;
      for (let index = 0; index < Math.min(this.#options.windowMax, this.#backlog.length); index++)
        this.#transmit(index);
      this.#repeatLater();
    });
  }

  #transmit(index: number): void {
    const message = this.#backlog[index];
    if (message !== undefined) this.#options.channel.send({ type: 'message', seq: this.#firstSeq + index, message });
  }
}
