/** The pods of a world count what they run: it does not matter to them what a gateway believes. */
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { Attempt, AttemptRequest, AttemptSink, PodPort } from '#orders/ports.ts';
import { LARGE_TEXT } from '../order-service-bench.ts';
import { ScriptedAttempt } from '../scripted-pods.ts';
import type { RaceRows } from './race-rows.ts';

const USAGE = { promptTokens: 90, cachedTokens: 30, outputTokens: 20 };

/** A gateway that sends attempts. `lives`: its process has not ended. */
interface Sender {
  readonly gateway: GatewayId;
  readonly host: Clock;
  readonly lives: () => boolean;
  /** Whether the caller of an order that ends with its caller has left. */
  readonly isLeft: (order: string) => boolean;
  /** How long an attempt goes on until something happens. */
  readonly stepMs: () => number;
}

/** The pods, whose attempts end well, badly or late. */
export class RacePods {
  readonly #time: Clock;
  readonly #random: Random;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #rows: RaceRows;
  readonly #running = new Map<ScriptedAttempt, Sender>();
  /** The orders whose answer was delivered whole, each to this gateway. */
  readonly delivered = new Map<string, Sender>();

  constructor(
    rows: RaceRows,
    { clock, random, slots }: { clock: Clock; random: Random; slots: ReadonlyMap<string, number> },
  ) {
    this.#rows = rows;
    this.#time = clock;
    this.#random = random;
    this.#slots = slots;
  }

  /** The pods as a gateway has them. */
  of(sender: Sender): PodPort {
    return { execute: (request, sink) => this.#begin(request, sink, sender) };
  }

  #begin(request: AttemptRequest, sink: AttemptSink, sender: Sender): Attempt {
    const { orderId, pod, attempt: number } = request;
    this.#rows.note(`${sender.gateway} sends ${orderId} ${number} to ${pod}`);
    if (sender.isLeft(orderId)) this.#rows.breaks(`${orderId} began to run although its caller had left`);
    const attempt = new ScriptedAttempt(request, this.#later(sink, sender));
    this.#running.set(attempt, sender);
    const same = [...this.#running].filter(([other, { gateway, lives }]) => {
      return other.request.pod === pod && lives() && this.#rows.table.passes(gateway);
    });
    const names = same.map(([{ request: other }]) => `${other.orderId} ${other.attempt}`);
    if (same.length > (this.#slots.get(pod) ?? 0)) this.#rows.breaks(`${pod} runs ${names.join(', ')} at once`);
    this.#step(attempt, sender);
    const abort = () =>
      void this.#time.after(900 * this.#random.next(), () => this.#end(attempt, () => attempt.abort()));
    return { abort };
  }

  /** What a pod sends arrives in a turn of the gateway. */
  #later(sink: AttemptSink, sender: Sender): AttemptSink {
    return {
      events: (batch) => void sender.host.after(0, () => sink.events(batch)),
      ended: (outcome) => void sender.host.after(0, () => sink.ended(outcome)),
    };
  }

  #step(attempt: ScriptedAttempt, sender: Sender): void {
    this.#time.after(sender.stepMs(), () => {
      const draw = this.#random.next();
      if (attempt.ended || !sender.lives()) this.#running.delete(attempt);
      else if (draw < 0.35) {
        attempt.say(draw < 0.02 ? LARGE_TEXT : 'more');
        this.#rows.produced.add(attempt.request.orderId);
        this.#step(attempt, sender);
      } else this.#end(attempt, () => this.#finish(attempt, sender, draw));
    });
  }

  #finish(attempt: ScriptedAttempt, sender: Sender, draw: number): void {
    if (draw >= 0.96) attempt.end({ kind: 'refused', message: 'planted' });
    else if (draw >= 0.78) attempt.end({ kind: 'failed', reason: 'planted' });
    else if (draw >= 0.7) attempt.end({ kind: 'no-slot' });
    else {
      this.delivered.set(attempt.request.orderId, sender);
      attempt.say('done').finish(draw < 0.6 ? USAGE : null);
    }
  }

  #end(attempt: ScriptedAttempt, how: () => void): void {
    if (!this.#running.delete(attempt)) return;
    const { orderId, attempt: number } = attempt.request;
    this.#rows.note(`the pod ends ${orderId} ${number}`);
    this.#rows.produced.add(orderId);
    how();
  }
}
