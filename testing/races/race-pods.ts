/** The pods of a world, which count what they run: to them it does not matter what a gateway believes. */
import type { Clock } from '#base/clock.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { Attempt, AttemptOutcome, AttemptRequest, AttemptSink, PodPort } from '#orders/ports.ts';
import { LARGE_TEXT } from '../order-service-bench.ts';
import type { Delays } from './delays.ts';
import type { History } from './history.ts';

const SLOTS: Readonly<Record<string, number>> = { 'pod-1': 1, 'pod-2': 1, 'pod-3': 2 };
const USAGE = { promptTokens: 90, cachedTokens: 30, outputTokens: 20, reasoningTokens: null };

interface RunningAttempt {
  readonly request: AttemptRequest;
  readonly sink: AttemptSink;
  readonly gateway: GatewayId;
  readonly host: Clock;
  aborted: boolean;
}

/** The pods. Attempts go on by themselves, and end in every way. */
export class RacePods {
  readonly #time: Clock;
  readonly #delays: Delays;
  readonly #history: History;
  readonly #running = new Set<RunningAttempt>();
  readonly #charged = new Set<string>();
  /** The most attempts that ran at the same time. */
  most = 0;
  /** The orders whose answer was delivered whole, and the gateways that got it. */
  readonly delivered = new Map<string, GatewayId>();
  /** Whether a gateway was declared dead: what its pods still run, nobody can know. */
  isBuried: (gateway: GatewayId) => boolean = () => false;

  constructor(time: Clock, delays: Delays, history: History) {
    this.#time = time;
    this.#delays = delays;
    this.#history = history;
  }

  get slots(): [pod: string, slots: number][] {
    return Object.entries(SLOTS);
  }

  get slotsInAll(): number {
    return this.slots.reduce((sum, [, slots]) => sum + slots, 0);
  }

  slotsOf(pod: string): number {
    return SLOTS[pod] ?? 0;
  }

  /** Whether an order had output, or was stopped while it ran. */
  mayCharge(order: string): boolean {
    return this.#charged.has(order);
  }

  /** The pods as a gateway has them; `isLeft`: nobody waits for this order any more. */
  portOf(gateway: GatewayId, host: Clock, isLeft: (order: string) => boolean): PodPort {
    return { execute: (request, sink) => {
        if (isLeft(request.orderId)) this.#history.find(`${request.orderId} begins to run when its caller has left`);
        return this.#begin({ request, sink, gateway, host, aborted: false });
      },
    };
  }

  /** The connections of a gateway break. */
  lose(gateway: GatewayId): void {
    for (const attempt of this.#running) if (attempt.gateway === gateway) this.#running.delete(attempt);
    for (const [order, of] of this.delivered) if (of === gateway) this.delivered.delete(order);
  }

  #begin(attempt: RunningAttempt): Attempt {
    const { request, gateway } = attempt;
    this.#history.note(`${gateway} sends ${request.orderId} ${request.attempt} to ${request.pod}`);
    this.#running.add(attempt);
    this.most = Math.max(this.most, this.#running.size);
    const same = [...this.#running].filter((other) => other.request.pod === request.pod && !this.isBuried(other.gateway));
    if (same.length > this.slotsOf(request.pod)) {
      const all = same.map(({ request: { orderId, attempt: number } }) => `${orderId} ${number}`).join(', ');
      this.#history.find(`${request.pod} runs more attempts than it has slots: ${all}`);
    }
    this.#later(attempt);
    return {
      abort: () => {
        if (attempt.aborted) return;
        attempt.aborted = true;
        this.#time.after(this.#delays.draw(900), () => this.#end(attempt, { kind: 'aborted', usage: null }));
      },
    };
  }

  #later(attempt: RunningAttempt): void {
    this.#time.after(20 + this.#delays.draw(400), () => {
      if (this.#running.has(attempt) && !attempt.aborted) this.#step(attempt);
    });
  }

  #step(attempt: RunningAttempt): void {
    const draw = this.#delays.draw();
    if (draw < 0.35) {
      this.#say(attempt, draw < 0.02 ? LARGE_TEXT : 'more');
      this.#later(attempt);
    } else if (draw < 0.7) {
      this.#say(attempt, 'done');
      const finish = { type: 'finish', reason: 'stop', stopSequence: null } as const;
      attempt.host.after(0, () => attempt.sink.events([finish]));
      this.#end(attempt, { kind: 'complete', usage: draw < 0.6 ? USAGE : null });
    } else if (draw < 0.78) this.#end(attempt, { kind: 'no-slot' });
    else if (draw < 0.96) this.#end(attempt, { kind: 'failed', reason: 'planted' });
    else this.#end(attempt, { kind: 'refused', message: 'planted' });
  }

  #say(attempt: RunningAttempt, text: string): void {
    this.#charged.add(attempt.request.orderId);
    attempt.host.after(0, () => attempt.sink.events([{ type: 'text-delta', text }]));
  }

  #end(attempt: RunningAttempt, outcome: AttemptOutcome): void {
    if (!this.#running.delete(attempt)) return;
    const { orderId, attempt: number } = attempt.request;
    this.#history.note(`the pod ends ${orderId} ${number}: ${outcome.kind}`);
    if (outcome.kind === 'aborted') this.#charged.add(orderId);
    attempt.host.after(0, () => {
      if (outcome.kind === 'complete') this.delivered.set(orderId, attempt.gateway);
      attempt.sink.ended(outcome);
    });
  }
}
