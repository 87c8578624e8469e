/**
 * How many slots of a pod are offered now. A pod that answers "no room" (429, 503) has fewer slots than configured, or
 * shares its machine. The pod is offered fewer orders for a while and then gradually more, up to its configured slots.
 * This backoff keeps an order from being sent to the same full pod in a tight loop.
 */
import type { Clock, Timer } from '#base/clock.ts';

/** How long a reduced pod waits before it grows; doubled each time the growth is refused. */
const GROWTH_WAIT_MS = 1_000;
const GROWTH_WAIT_MS_MAX = 30_000;
/** The share of the configured slots that returns at a time. */
const GROWTH_SHARE = 1 / 8;

/** The slots of one pod. */
export class FullPodBackoff {
  #configured: number;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #slots: number;
  #waitMs = GROWTH_WAIT_MS;
  /** Whether slots have returned since the last refusal. Several refusals before that count as one. */
  #grown = false;
  #timer: Timer | null = null;

  /** `onChange` is called after each change of `slots`. */
  constructor(configured: number, clock: Clock, onChange: () => void) {
    this.#configured = configured;
    this.#slots = configured;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** The most slots that are offered. */
  get configured(): number {
    return this.#configured;
  }

  /** The slots to offer now, 0 to the configured number. */
  get slots(): number {
    return this.#slots;
  }

  /** The pod had no room while it was running `running` other attempts. */
  wasFull(running: number): void {
    if (this.#grown) this.#waitMs = Math.min(this.#waitMs * 2, GROWTH_WAIT_MS_MAX);
    this.#grown = false;
    this.#wait();
    this.#set(Math.min(this.#slots, running));
  }

  /** The pod has completed an answer, so the next refusal starts at the shortest wait again. */
  served(): void {
    this.#waitMs = GROWTH_WAIT_MS;
  }

  /** Sets the configured number. A pod that is offered fewer for now grows from there on to the new one. */
  resize(configured: number): void {
    this.#configured = configured;
    if (this.#timer && this.#slots < configured) return;
    this.close();
    this.#timer = null;
    this.#set(configured);
  }

  /** Cancels the timer. */
  close(): void {
    this.#timer?.cancel();
  }

  #wait(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(this.#waitMs, () => {
      this.#grown = true;
      const step = Math.max(1, Math.floor(this.#configured * GROWTH_SHARE));
      const slots = Math.min(this.#configured, this.#slots + step);
      if (slots < this.#configured) this.#wait();
      else this.#timer = null;
      this.#set(slots);
    });
  }

  #set(slots: number): void {
    if (slots === this.#slots) return;
    this.#slots = slots;
    this.#onChange();
  }
}
