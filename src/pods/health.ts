/**
 * Whether a pod is fit to be sent orders. Pings tell whether somebody is there; attempts tell whether answers come. When
 * attempts fail, a request of our own tells whether it is the pod or what it was sent: what anybody sends for nothing
 * must not take a pod away from everybody else.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { Ping } from './pod.ts';

/** The rhythm of pinging, in milliseconds. */
export interface HealthSetting {
  /** Between pings of a healthy pod. */
  readonly intervalMs: number;
  /** From an unhealthy pod's first ping to the next; doubled up to the longest. */
  readonly retryMs: number;
  readonly retryMsMax: number;
  /** Failures in a row: of pings, that make a pod unhealthy; of the attempts of different orders, that bring a trial. */
  readonly failuresMax: number;
  /** How long a trial may take before the pod is unhealthy until it ends. */
  readonly trialMs: number;
}

export const healthDefaults: HealthSetting = {
  intervalMs: 10_000,
  retryMs: 500,
  retryMsMax: 30_000,
  failuresMax: 3,
  trialMs: 10_000,
};

type Missed = Exclude<Ping, 'alive'>;

/** Why a pod is not healthy, for the log. */
const MISSED: Readonly<Record<Missed, string>> = {
  refused: 'it refuses connections',
  denied: 'it refuses the key',
  failing: 'its pings fail',
};

const ATTEMPTS_FAIL = 'its attempts fail';

/** What health is made of. */
export interface HealthParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly setting: HealthSetting;
  readonly ping: () => Promise<Ping>;
  /** Lets the pod answer a request; sent instead of a ping once its attempts fail. */
  readonly trial: () => Promise<Ping>;
  /** Called after each change of `healthy`, with the reason. */
  readonly onChange: (reason: string) => void;
}

/** The health of one pod: unhealthy until its first ping has passed. */
export class Health {
  readonly #parts: HealthParts;
  #healthy = false;
  #everHealthy = false;
  #pingFailures = 0;
  #attemptFailures = 0;
  #lastFailed: string | null = null;
  /** Whether its attempts failed and no trial has passed since. */
  #doubted = false;
  /** When it passed a trial, which speaks for it for as long as the shortest retry takes. */
  #triedAtMs: number | null = null;
  #retryMs: number;
  #timer: Timer | null = null;
  #closed = false;

  constructor(parts: HealthParts) {
    this.#parts = parts;
    this.#retryMs = parts.setting.retryMs;
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
    this.#retryMs = this.#parts.setting.retryMs;
  }

  /** An attempt of `order` failed. One order that fails again and again may be at fault itself, and counts once. */
  failed(order: string): void {
    if (order === this.#lastFailed || this.#doubted || this.#trusted) return;
    this.#lastFailed = order;
    this.#attemptFailures++;
    if (this.#attemptFailures >= this.#parts.setting.failuresMax) this.#doubt();
  }

  /** Nobody listens at its address. */
  refused(): void {
    this.#lose(MISSED.refused);
  }

  /** Sends no more pings. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /** After a step back of the clock nothing is: it may be an hour before the time of the trial has come again. */
  get #trusted(): boolean {
    if (this.#triedAtMs === null) return false;
    const sinceMs = this.#parts.clock.nowMs() - this.#triedAtMs;
    return sinceMs >= 0 && sinceMs < this.#parts.setting.retryMs;
  }

  async #ping(): Promise<void> {
    const doubted = this.#doubted;
    const ping = await (doubted ? this.#parts.trial() : this.#parts.ping());
    // Attempts may have failed while a ping was on its way: it says too little then.
    if (this.#closed || doubted !== this.#doubted) return;
    if (ping === 'alive') this.#passed();
    else this.#missed(ping);
  }

  #passed(): void {
    const { clock, setting } = this.#parts;
    const reason = this.#doubted ? 'it answered a trial' : 'its ping passed';
    if (this.#doubted || (this.#healthy && this.#attemptFailures === 0)) this.#retryMs = setting.retryMs;
    if (this.#doubted) this.#triedAtMs = clock.nowMs();
    if (this.#doubted || !this.#healthy) {
      this.#attemptFailures = 0;
      this.#lastFailed = null;
    }
    this.#pingFailures = 0;
    this.#doubted = false;
    this.#schedule(setting.intervalMs);
    if (!this.#healthy) this.#change(true, reason);
  }

  /** Its attempts fail: it is tried, and stays where it is until the trial has failed or takes too long. */
  #doubt(): void {
    if (!this.#healthy) return;
    this.#doubted = true;
    this.#timer?.cancel();
    this.#timer = this.#parts.clock.after(this.#parts.setting.trialMs, () => this.#change(false, ATTEMPTS_FAIL));
    void this.#ping();
  }

  #missed(ping: Missed): void {
    const { setting } = this.#parts;
    this.#pingFailures++;
    if (!this.#healthy) this.#stillLost(ping);
    else if (this.#doubted) this.#lose(ATTEMPTS_FAIL);
    else if (ping === 'refused' || this.#pingFailures >= setting.failuresMax) this.#lose(MISSED[ping]);
    else this.#schedule(setting.retryMs);
  }

  /** A pod that was never well has no change to tell of: its first missed ping is told instead. */
  #stillLost(ping: Missed): void {
    this.#retryLater();
    if (this.#pingFailures > 1 || this.#everHealthy) return;
    this.#parts.onChange(MISSED[ping]);
  }

  #lose(reason: string): void {
    if (!this.#healthy) return;
    this.#retryLater();
    this.#change(false, reason);
  }

  #retryLater(): void {
    this.#schedule(this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, this.#parts.setting.retryMsMax);
  }

  /** Up to a fifth more than asked for, so that many gateways do not ping in step. */
  #schedule(ms: number): void {
    this.#timer?.cancel();
    if (this.#closed) return;
    const delayMs = Math.ceil(ms * (1 + this.#parts.random.next() / 5));
    this.#timer = this.#parts.clock.after(delayMs, () => void this.#ping());
  }

  #change(healthy: boolean, reason: string): void {
    this.#everHealthy ||= healthy;
    this.#healthy = healthy;
    this.#parts.onChange(reason);
  }
}
