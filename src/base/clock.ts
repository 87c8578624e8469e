/**
 * Time. Only this file reads the machine's clock or sets timers; everything else takes a `Clock`. Tests move a
 * `ManualClock` by hand. Times are whole milliseconds, in names that end in `Ms`. There are two kinds: dates, which are
 * stored, shown and compared with dates, such as an expiry; and moments, which only measure a distance, such as the
 * start of a timeout. A step of the machine's clock moves dates and no moments, so a duration is measured with moments.
 */

/** A timer. `cancel` may be called at any time and more than once. */
export interface Timer {
  cancel(): void;
}

/** The time, and timers. */
export interface Clock {
  /** The date: whole milliseconds since the epoch. Steps when the machine's clock is set. */
  nowMs(): number;
  /** Whole milliseconds since some moment of this process. Never steps; comparable with nothing else. */
  monotonicMs(): number;
  /** Calls `run` once after at least `delayMs` (at most about 24 days), never before this call returns. */
  after(delayMs: number, run: () => void): Timer;
}

/** The real clock. Its timers keep the process alive. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Math.floor(performance.now()),
  after(delayMs, run) {
    const handle = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after at least `ms`. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

/** What `answer` resolves with; null when that takes longer than `limitMs`. Rejects as it does. */
export async function waitAtMost<Answer>(
  clock: Clock,
  limitMs: number,
  answer: Promise<Answer>,
): Promise<Answer | null> {
  const late = Promise.withResolvers<null>();
  const timer = clock.after(limitMs, () => late.resolve(null));
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    timer.cancel();
  }
}

/** Calls `run` at each multiple of `intervalMs` since the epoch, until canceled. Calls never overlap. */
export function every(clock: Clock, intervalMs: number, run: () => void): Timer {
  let timer = next();
  function next(): Timer {
    return clock.after(intervalMs - (clock.nowMs() % intervalMs), () => {
      timer = next();
      run();
    });
  }
  return { cancel: () => timer.cancel() };
}

/** Begins a round of work at each multiple of `intervalMs` since the epoch, unless the one before still runs. */
export class RepeatedWork {
  readonly #timer: Timer;
  readonly #work: () => Promise<void>;
  #running: Promise<void> | null = null;

  /** `work` must not reject. */
  constructor(clock: Clock, intervalMs: number, work: () => Promise<void>) {
    this.#work = work;
    this.#timer = every(clock, intervalMs, () => void this.run());
  }

  /** Whether a round runs. */
  get busy(): boolean {
    return this.#running !== null;
  }

  /** Begins a round, unless one runs, and resolves with its end. */
  run(): Promise<void> {
    this.#running ??= this.#work().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** No further round begins. Resolves when none runs. */
  async close(): Promise<void> {
    this.#timer.cancel();
    await this.#running;
  }
}

/** How much slower than the machine's clock it goes while it is ahead of it: an hour is made up in ten. */
const SLOWER = 0.1;
/** How far another machine's time may move a clock. A larger difference means a wrong clock, not a delay. */
const MOVED_MS_MAX = 1_000;

/** A clock without steps back. */
export interface SteadyClock extends Clock {
  /**
   * Something happened elsewhere at `atMs`, and what follows it must not be earlier: the clock moves up to it, unless
   * that is more than a second ahead.
   */
  follow(atMs: number): void;
}

/**
 * `clock` without steps back: at such a step, and while `clock` is before `notBeforeMs`, time goes on from where it was
 * and a tenth slower than `clock` until both agree. Steps forward are followed. Uses the timers of `clock`.
 */
export function steadyClock(clock: Clock, notBeforeMs: number): SteadyClock {
  let wallMs = clock.nowMs();
  let aheadMs = Math.max(0, notBeforeMs - wallMs);
  let lastMs = Math.floor(wallMs + aheadMs);
  function nowMs(): number {
    const readMs = clock.nowMs();
    aheadMs = Math.max(0, aheadMs + (readMs < wallMs ? wallMs - readMs : (wallMs - readMs) * SLOWER));
    wallMs = readMs;
    lastMs = Math.max(lastMs, Math.floor(wallMs + aheadMs));
    return lastMs;
  }
  return {
    nowMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
    follow(atMs) {
      const behindMs = atMs - nowMs();
      if (behindMs > 0 && behindMs <= MOVED_MS_MAX) aheadMs += behindMs;
    },
  };
}

/** A clock that is set by another one. */
interface SetClock extends Clock {
  /** `clock` was so much ahead of the other one, read in a round trip of this length: only more than that is corrected. */
  set(aheadMs: number, roundTripMs: number): void;
}

/** `clock`, corrected by the offset given to `set`. It steps; make it steady. */
export function setClock(clock: Clock): SetClock {
  let aheadMs = 0;
  return {
    nowMs: () => clock.nowMs() - aheadMs,
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
    set(measuredMs, roundTripMs) {
      // The other clock was read at any time of the round trip.
      if (Math.abs(measuredMs - aheadMs) > roundTripMs / 2) aheadMs = measuredMs;
    },
  };
}
