/**
 * The traders of one market in the simulated month: about an order every eight seconds, sometimes from a new account,
 * some locked, some repriced, some withdrawn. Driven only by the time, once a second.
 */
import { normal, type Random } from '#base/random.ts';
import type { Admit, Command } from '#market/ports.ts';

interface Live {
  readonly order: string;
  readonly endsAtMs: number;
  running: Pick<Admit, 'attempt' | 'pod'> | null;
  runsUntilMs: number;
}

const ARRIVALS_PER_S = 1 / 8;
/** 1.3 times what eight slots can run. */
const RUNS_MS = 80_000;

/** The queued and running orders of one market. */
export class Traders {
  readonly model: string;
  readonly #random: Random;
  readonly #live = new Map<string, Live>();
  #nowMs = 0;
  sent = 0;

  constructor(model: string, random: Random) {
    this.model = model;
    this.#random = random;
  }

  get live(): number {
    return this.#live.size;
  }

  /** The commands of the second that ends now. */
  act(nowMs: number, quote: number): Command[] {
    this.#nowMs = nowMs;
    const commands = this.#endings(nowMs);
    if (this.#random.next() < ARRIVALS_PER_S) commands.push(this.#arrival(nowMs, quote));
    const any = this.#live.values().next().value;
    if (any && !any.running && this.#random.next() < 0.02) {
      commands.push({ type: 'reprice', model: this.model, order: any.order, bid: this.#value() });
    }
    return commands;
  }

  started({ order, attempt, pod }: Admit): void {
    const live = this.#live.get(order);
    if (!live) return;
    live.running = { attempt, pod };
    live.runsUntilMs = this.#nowMs + Math.ceil(-RUNS_MS * Math.log(1 - this.#random.next()));
  }

  #endings(nowMs: number): Command[] {
    const commands: Command[] = [];
    const { model } = this;
    for (const live of this.#live.values()) {
      const { order, running } = live;
      if (running ? live.runsUntilMs > nowMs : live.endsAtMs > nowMs) continue;
      this.#live.delete(order);
      if (running) commands.push({ type: 'release', model, order, ...running, reason: 'finished' });
      else commands.push({ type: 'withdraw', model, order, expired: this.#random.next() < 0.7 });
    }
    return commands;
  }

  #arrival(nowMs: number, quote: number): Command {
    const order = `${this.model}-${++this.sent}`;
    const limit = this.#value();
    const lock = this.#random.next() < 0.3;
    const patienceMs = lock ? 10_000 : Math.ceil(-120_000 * Math.log(1 - this.#random.next()));
    this.#live.set(order, { order, endsAtMs: nowMs + patienceMs, running: null, runsUntilMs: 0 });
    return {
      type: 'rest',
      model: this.model,
      order,
      account: `account-${Math.floor(this.sent / 10)}`,
      bid: lock ? Math.min(limit, quote) : limit,
      lockLimit: lock ? limit : null,
      restedSeq: null,
      attempt: 1,
      avoidPod: null,
      house: false,
    };
  }

  #value(): number {
    return Math.round(1e9 * Math.exp(0.5 * normal(this.#random)));
  }
}
