/**
 * A FIFO that delivers every message once, made of a channel that delays, repeats, loses and reorders. Messages are
 * numbered; the receiver keeps those that came too early and acknowledges all up to the first gap; the sender repeats
 * what was not acknowledged in time. Both ends of a conversation are a `Link`, each sending and receiving.
 */
import type { Clock, Timer } from '#base/clock.ts';

/** What travels: a message with its number from 1, or "everything up to here has arrived". */
export type Packet<Message> =
  | { readonly type: 'message'; readonly seq: number; readonly message: Message }
  | { readonly type: 'ack'; readonly upTo: number };

/** An unreliable channel: a packet sent may arrive late, twice, in another order or never, but never changed. */
export interface Channel<Out, In> {
  send(packet: Packet<Out>): void;
  listen(onPacket: (packet: Packet<In>) => void): void;
}

/** How one end of a link behaves; both ends need the same `windowMax`. */
export interface LinkOptions<Out, In> {
  readonly channel: Channel<Out, In>;
  readonly clock: Clock;
  /** How long an acknowledgement may take before its message is sent again. */
  readonly repeatMs: number;
  /** How many messages may be under way; the receiver keeps no more than this many that came too early. */
  readonly windowMax: number;
  /** How many messages may wait for their acknowledgement, those under way included. */
  readonly backlogMax: number;
}

/** One end: what is sent here arrives at the other end once, in the order it was sent, and the reverse. */
export class Link<Out, In> {
  readonly #options: LinkOptions<Out, In>;
  /** Sent or waiting to be sent, not yet acknowledged; the first one has the number `#firstSeq`. */
  #backlog: Out[] = [];
  #firstSeq = 1;
  #timer: Timer | null = null;
  readonly #early = new Map<number, In>();
  #nextSeq = 1;
  #onMessage: ((message: In) => void) | null = null;

  constructor(options: LinkOptions<Out, In>) {
    this.#options = options;
  }

  /** Throws when `backlogMax` messages wait: the other end has been silent for too long. */
  send(message: Out): void {
    if (this.#backlog.length >= this.#options.backlogMax) throw new Error('the other end of the link does not answer');
    this.#backlog.push(message);
    if (this.#backlog.length <= this.#options.windowMax) this.#transmit(this.#backlog.length - 1);
    this.#repeatLater();
  }

  /** Called for each message of the other end, once, in order. One listener; nothing is taken from the channel before. */
  listen(onMessage: (message: In) => void): void {
    this.#onMessage = onMessage;
    this.#options.channel.listen((packet) => {
      if (packet.type === 'ack') this.#acknowledged(packet.upTo);
      else this.#arrived(packet.seq, packet.message);
    });
  }

  /** Repeats nothing any more; what was not acknowledged may or may not arrive. */
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
    // Repeated for a message that had arrived before: its first acknowledgement may have been lost.
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
