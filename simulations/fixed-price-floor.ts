/**
 * A listing at fixed prices in simulated time: one market of the real exchange, without order service, money and
 * network. It measures who gets the slot time.
 */
import { type Random, seededRandom } from '#base/random.ts';
import { Exchange } from '#market/exchange/exchange.ts';
import type { Admit, Command } from '#market/ports.ts';
import { Agenda } from './agenda.ts';
import { TARGET_START_RATE } from './target.ts';

/** How long an order holds its slot, drawn when it starts. */
export type JobTime = (random: Random) => number;

/** Jobs of one length. */
export function always(ms: number): JobTime {
  return () => ms;
}

/** Jobs of exponentially distributed lengths. */
export function around(meanMs: number): JobTime {
  return (random) => -Math.log(1 - random.next()) * meanMs;
}

/** An order: whose slot time it counts as, how long it runs, and whom to call when it starts and ends. */
export interface FixedPriceOrder {
  readonly group: string;
  readonly runs: JobTime;
  readonly started?: () => void;
  readonly ended?: () => void;
}

interface Run {
  readonly group: string;
  countedToMs: number;
}

const START_MS = Date.UTC(2026, 0, 1);
const MODEL = 'fixed';

/** One fixed-price listing and its customers. */
export class FixedPriceFloor {
  readonly agenda = new Agenda(START_MS);
  readonly random: Random;
  readonly slots: number;
  readonly #exchange: Exchange;
  readonly #waiting = new Map<string, FixedPriceOrder>();
  readonly #running = new Map<string, Run>();
  readonly #slotMs = new Map<string, number>();
  #orders = 0;

  constructor(options: { seed: number; slots: number; accountShareMax?: number | null }) {
    const { seed, slots, accountShareMax = null } = options;
    this.random = seededRandom(seed);
    this.slots = slots;
    this.#exchange = new Exchange({
      listings: [{ id: MODEL, type: 'fixed', floor: 0, ceiling: 0, reserve: 0, preview: false, accountShareMax }],
      levelTimeConstantMs: 20_000,
      recovered: [],
      quotes: { intervalMs: 10_000, targetStartRate: TARGET_START_RATE, executeWindowMs: 10_000 },
      recoveredQuotes: [],
      random: this.random,
      emit: (event) => void (event.type === 'admit' && this.#admitted(event)),
      nowMs: START_MS,
    });
    this.#say({ type: 'capacity', model: MODEL, pod: 'pod', slots, healthy: true });
    this.#tickLater();
  }

  /** Sends an order, and returns its id. */
  send(account: string, sent: FixedPriceOrder): string {
    const order = `o${++this.#orders}`;
    this.#waiting.set(order, sent);
    const first = { lockLimit: null, restedSeq: null, attempt: 1, avoidPod: null, house: false };
    this.#say({ type: 'rest', model: MODEL, order, account, bid: 1, ...first });
    return order;
  }

  /** Calls back in this moment, after the exchange has finished what it does. */
  soon(run: () => void): void {
    this.agenda.after(0, run);
  }

  /** An account that always has this many orders here, waiting or running. */
  stay(account: string, depth: number, runs: JobTime): void {
    const send = () => void this.send(account, { group: account, runs, ended: () => this.soon(send) });
    for (let order = 0; order < depth; order++) send();
  }

  /** Keeps so many orders waiting at any moment, each sent by the account that `next` names. */
  keepWaiting(waiting: number, { group, runs, next }: { group: string; runs: JobTime; next: () => string }): void {
    const send = () => void this.send(next(), { group, runs, started: () => this.soon(send) });
    for (let order = 0; order < waiting; order++) send();
  }

  run(ms: number): void {
    this.agenda.runUntil(this.agenda.nowMs + ms);
    for (const run of this.#running.values()) this.#count(run);
  }

  /** Forgets what was measured so far. */
  resetMeasures(): void {
    this.#slotMs.clear();
  }

  /** The part of the slot time used that a group got, 0 to 1. */
  share(group: string): number {
    const used = [...this.#slotMs.values()].reduce((sum, ms) => sum + ms, 0);
    return (this.#slotMs.get(group) ?? 0) / used;
  }

  #say(command: Command): void {
    this.#exchange.handle(command, this.agenda.nowMs);
  }

  #admitted({ order, attempt, pod }: Admit): void {
    const sent = this.#waiting.get(order);
    if (!sent) throw new Error(`${order} was given a slot after it had left`);
    this.#waiting.delete(order);
    const run = { group: sent.group, countedToMs: this.agenda.nowMs };
    this.#running.set(order, run);
    sent.started?.();
    this.agenda.after(sent.runs(this.random), () => {
      this.#count(run);
      this.#running.delete(order);
      this.#say({ type: 'release', model: MODEL, order, attempt, pod, reason: 'finished' });
      sent.ended?.();
    });
  }

  #count(run: Run): void {
    const { nowMs } = this.agenda;
    this.#slotMs.set(run.group, (this.#slotMs.get(run.group) ?? 0) + nowMs - run.countedToMs);
    run.countedToMs = nowMs;
  }

  #tickLater(): void {
    this.agenda.after(1000, () => {
      this.#tickLater();
      this.#exchange.tick(this.agenda.nowMs);
    });
  }
}
