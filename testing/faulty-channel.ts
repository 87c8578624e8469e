/**
 * A channel that does everything a network may do to packets: it delays, repeats, loses and reorders them, by a seed.
 * Each packet is cloned on its way, so only plain data can pass.
 */
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { Channel, Packet } from './exchange-link.ts';

export interface Faults {
  /** The fractions of packets, 0 to 1, that are lost and that arrive twice. */
  readonly lost: number;
  readonly repeated: number;
  /** Each packet takes a random time up to this, so later packets may overtake earlier ones. */
  readonly delayMsMax: number;
}

/** The two ends of one faulty connection. */
export function faultyConnection<One, Two>(
  clock: Clock,
  random: Random,
  faults: Faults,
): { one: Channel<One, Two>; two: Channel<Two, One> } {
  const [toTwo, toOne] = [new FaultyWay<One>(clock, random, faults), new FaultyWay<Two>(clock, random, faults)];
  return {
    one: { send: (packet) => toTwo.send(packet), listen: (onPacket) => toOne.listen(onPacket) },
    two: { send: (packet) => toOne.send(packet), listen: (onPacket) => toTwo.listen(onPacket) },
  };
}

class FaultyWay<Message> {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #faults: Faults;
  #onPacket: ((packet: Packet<Message>) => void) | null = null;

  constructor(clock: Clock, random: Random, faults: Faults) {
    this.#clock = clock;
    this.#random = random;
    this.#faults = faults;
  }

  send(packet: Packet<Message>): void {
    if (this.#random.next() < this.#faults.lost) return;
    this.#deliverLater(structuredClone(packet));
    if (this.#random.next() < this.#faults.repeated) this.#deliverLater(structuredClone(packet));
  }

  listen(onPacket: (packet: Packet<Message>) => void): void {
    this.#onPacket = onPacket;
  }

  #deliverLater(packet: Packet<Message>): void {
    const delayMs = Math.ceil(this.#random.next() * this.#faults.delayMsMax);
    this.#clock.after(delayMs, () => this.#onPacket?.(packet));
  }
}
