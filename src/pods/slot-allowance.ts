/**
 * How many slots of a pod are offered now. A pod that says "no room" (429, 503) has fewer than its configuration
 * believes, or shares its machine; it is offered less for a while and then a little more each time, up to its
 * configuration. A refusal is therefore never answered by sending the same order to the same full pod in a tight loop.
 */
import type { Clock, Timer } from '#base/clock.ts';

/** How long a shrunk pod keeps what it has; doubled with every growth that was refused. */
const GROWTH_WAIT_MS = 1_000;
const GROWTH_WAIT_MS_MAX = 30_000;
/** The part of the configured slots that comes back at a time. */
const GROWTH_SHARE = 1 / 8;

/** The slots of one pod. */
export class SlotAllowance {
  readonly #configured: number;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #slots: number;
  #waitMs = GROWTH_WAIT_MS;
  /** Whether slots have come back since the last refusal; many refusals of one moment are one. */
  #grown = false;
  #timer: Timer | null = null;

  /** `onChange` is called after each change of `slots`. */
  constructor(configured: number, clock: Clock, onChange: () => void) {
    this.#configured = configured;
    this.#slots = configured;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** The slots to offer now, 0 to the configured number. */
  get slots(): number {
    return this.#slots;
  }

  /** The pod had no room while `running` others were running on it. */
  refused(running: number): void {
    if (this.#grown) this.#waitMs = Math.min(this.#waitMs * 2, GROWTH_WAIT_MS_MAX);
    this.#grown = false;
    this.#wait();
    this.#set(Math.min(this.#slots, running));
  }

  /** The pod has finished an answer: what it refuses next is a new matter. */
  served(): void {
    this.#waitMs = GROWTH_WAIT_MS;
  }

  /** Sets no more timers. */
  close(): void {
    this.#timer?.cancel();
  }

  #wait(): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.after(this.#waitMs, () => this.#grow());
  }

  #grow(): void {
    this.#grown = true;
    const step = Math.max(1, Math.floor(this.#configured * GROWTH_SHARE));
    const slots = Math.min(this.#configured, this.#slots + step);
    if (slots < this.#configured) this.#wait();
    else this.#timer = null;
    this.#set(slots);
  }

  #set(slots: number): void {
    if (slots === this.#slots) return;
    this.#slots = slots;
    this.#onChange();
  }
}
