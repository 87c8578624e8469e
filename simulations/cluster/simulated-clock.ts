/** The clock of one simulated gateway: it stops with its process. */
import type { Clock, Timer } from '#base/clock.ts';

/** A clock whose timers wait while its process is paused, and never fire once it has crashed. */
export class HostClock implements Clock {
  readonly #clock: Clock;
  readonly #offsetMs: number;
  #held: (() => void)[] = [];
  #state: 'runs' | 'paused' | 'crashed' = 'runs';

  constructor(clock: Clock, offsetMs: number) {
    this.#clock = clock;
    this.#offsetMs = offsetMs;
  }

  get paused(): boolean {
    return this.#state === 'paused';
  }

  nowMs(): number {
    return this.#clock.nowMs() + this.#offsetMs;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  after(delayMs: number, run: () => void): Timer {
    let canceled = false;
    const fire = () => {
      if (canceled || this.#state === 'crashed') return;
      if (this.#state === 'paused') this.#held.push(fire);
      else run();
    };
    const timer = this.#clock.after(delayMs, fire);
    return {
      cancel: () => {
        canceled = true;
        timer.cancel();
      },
    };
  }

  pause(): void {
    if (this.#state === 'runs') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'runs';
    for (const fire of this.#held.splice(0)) fire();
  }

  crash(): void {
    this.#state = 'crashed';
    this.#held = [];
  }
}
