/**
 * Whether a pod can be given orders. Pings show whether it is reachable; attempts show whether it answers. When
 * attempts fail, the gateway sends a trial request to find out whether the pod or the orders are at fault: nobody must
 * be able to take a pod away from all others with bad requests that cost nothing. A pod that is full stays healthy:
 * `full-pod-backoff.ts`.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { Ping } from './pod.ts';

/** The timing of pings, in milliseconds. */
const PINGS = {
  /** Between pings of a healthy pod. */
  intervalMs: 10_000,
  /** From an unhealthy pod's first ping to the next; doubled up to the maximum. */
  retryMs: 500,
  retryMsMax: 30_000,
  /** Failures in a row: pings that make a pod unhealthy, or attempts of different orders that start a trial. */
  failuresMax: 3,
  /** How long a trial may take before the pod is unhealthy until it ends. */
  trialMs: 10_000,
} as const;

type Missed = Exclude<Ping, 'alive'>;

/** Why a pod is unhealthy, for the log and docs/sell/incidents.md. */
const MISSED_REASONS: Readonly<Record<Missed, string>> = {
  refused: 'it refuses connections',
  denied: 'it refuses the key',
  failing: 'its pings fail',
  unlisted: 'it does not serve its model',
};

const ATTEMPTS_FAIL = 'its attempts fail';

interface PodHealthOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly ping: () => Promise<Ping>;
  /** Sends a trial request; used instead of a ping after attempts failed. */
  readonly trial: () => Promise<Ping>;
  /** Called after each change of `healthy`, with the reason. */
  readonly onChange: (reason: string) => void;
}

/** The health of one pod: unhealthy until its first successful ping. */
export class PodHealth {
  readonly #options: PodHealthOptions;
  #healthy = false;
  #everHealthy = false;
  #pingFailures = 0;
  #attemptFailures = 0;
  #lastFailed: string | null = null;
  /** Whether its attempts failed and no trial has succeeded since. */
  #suspect = false;
  /** When it last passed a trial. Failed attempts do not count for `retryMs` after that. */
  #trialPassedAtMs: number | null = null;
  #retryMs: number = PINGS.retryMs;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: PodHealthOptions) {
    this.#options = options;
  }

  get healthy(): boolean {
    return this.#healthy;
  }

  /** Sends the first ping. Call once. */
  start(): void {
    void this.#ping();
  }

  /** An attempt was answered. */
  served(): void {
    this.#attemptFailures = 0;
    this.#lastFailed = null;
    this.#retryMs = PINGS.retryMs;
  }

  /** An attempt of `order` failed. An order that keeps failing may itself be at fault, so it counts once. */
  failed(order: string): void {
    const passedMs = this.#trialPassedAtMs;
    const justPassed = passedMs !== null && this.#options.clock.monotonicMs() - passedMs < PINGS.retryMs;
    if (order === this.#lastFailed || this.#suspect || justPassed) return;
    this.#lastFailed = order;
    this.#attemptFailures++;
    if (this.#attemptFailures >= PINGS.failuresMax) this.#startTrial();
  }

  connectionRefused(): void {
    this.#becomeUnhealthy(MISSED_REASONS.refused);
  }

  /** Sends no more pings. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #ping(): Promise<void> {
    const suspect = this.#suspect;
    const ping = await (suspect ? this.#options.trial() : this.#options.ping());
    // If attempts failed while a ping was in flight, the ping proves too little.
    if (this.#closed || suspect !== this.#suspect) return;
    if (ping === 'alive') this.#passed();
    else this.#missed(ping);
  }

  #passed(): void {
    const reason = this.#suspect ? 'it answered a trial' : 'its ping passed';
    if (this.#suspect || (this.#healthy && this.#attemptFailures === 0)) this.#retryMs = PINGS.retryMs;
    if (this.#suspect) this.#trialPassedAtMs = this.#options.clock.monotonicMs();
    if (this.#suspect || !this.#healthy) {
      this.#attemptFailures = 0;
      this.#lastFailed = null;
    }
    this.#pingFailures = 0;
    this.#suspect = false;
    this.#schedule(PINGS.intervalMs);
    if (!this.#healthy) this.#change(true, reason);
  }

  /** Its attempts fail: it gets a trial, and stays healthy until the trial fails or takes too long. */
  #startTrial(): void {
    if (!this.#healthy) return;
    this.#suspect = true;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(PINGS.trialMs, () => this.#change(false, ATTEMPTS_FAIL));
    void this.#ping();
  }

  #missed(ping: Missed): void {
    this.#pingFailures++;
    if (!this.#healthy) {
      this.#retryLater();
      // A pod that was never healthy does not change, so its first missed ping is reported instead.
      if (this.#pingFailures === 1 && !this.#everHealthy) this.#options.onChange(MISSED_REASONS[ping]);
    } else if (this.#suspect) this.#becomeUnhealthy(ATTEMPTS_FAIL);
    else if (ping === 'refused' || ping === 'unlisted' || this.#pingFailures >= PINGS.failuresMax)
      this.#becomeUnhealthy(MISSED_REASONS[ping]);
    else this.#schedule(PINGS.retryMs);
  }

  #becomeUnhealthy(reason: string): void {
    if (!this.#healthy) return;
    this.#retryLater();
    this.#change(false, reason);
  }

  #retryLater(): void {
    this.#schedule(this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, PINGS.retryMsMax);
  }

  /** Adds up to a fifth of jitter, so that several gateways do not ping in step. */
  #schedule(ms: number): void {
    this.#timer?.cancel();
    if (this.#closed) return;
    const delayMs = Math.ceil(ms * (1 + this.#options.random.next() / 5));
    this.#timer = this.#options.clock.after(delayMs, () => void this.#ping());
  }

  #change(healthy: boolean, reason: string): void {
    this.#everHealthy ||= healthy;
    this.#healthy = healthy;
    this.#options.onChange(reason);
  }
}
