/**
 * Whether a pod is fit to be sent orders. Probes tell whether somebody is there; attempts tell whether answers come. A
 * pod that passes its probes and fails its attempts stays away longer each time, until it has finished an answer.
 */
import type { Clock, Timer } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { Probe } from './pod.ts';

/** The rhythm of probing, in milliseconds. */
export interface HealthSetting {
  /** Between probes of a healthy pod. */
  readonly intervalMs: number;
  /** From an unhealthy pod's first probe to the next; doubled up to the longest. */
  readonly retryMs: number;
  readonly retryMsMax: number;
  /** Failures in a row, of probes or of the attempts of different orders, that make a pod unhealthy. */
  readonly failuresMax: number;
}

export const healthDefaults: HealthSetting = {
  intervalMs: 10_000,
  retryMs: 500,
  retryMsMax: 30_000,
  failuresMax: 3,
};

type Missed = Exclude<Probe, 'alive'>;

/** Why a pod is not healthy, for the log. */
const MISSED: Readonly<Record<Missed, string>> = {
  refused: 'it refuses connections',
  denied: 'it refuses the key',
  failing: 'its probes fail',
};

/** What health is made of. */
export interface HealthParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly setting: HealthSetting;
  readonly probe: () => Promise<Probe>;
  /** Called after each change of `healthy`, with the reason. */
  readonly onChange: (reason: string) => void;
}

/** The health of one pod: unhealthy until its first probe has passed. */
export class Health {
  readonly #parts: HealthParts;
  #healthy = false;
  #everHealthy = false;
  #probeFailures = 0;
  #attemptFailures = 0;
  #lastFailed: string | null = null;
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

  /** Sends the first probe. Call once. */
  start(): void {
    void this.#probe();
  }

  /** An attempt was answered. */
  served(): void {
    this.#attemptFailures = 0;
    this.#lastFailed = null;
    this.#retryMs = this.#parts.setting.retryMs;
  }

  /** An attempt of `order` failed. One order that fails again and again may be at fault itself, and counts once. */
  failed(order: string): void {
    if (order === this.#lastFailed) return;
    this.#lastFailed = order;
    this.#attemptFailures++;
    if (this.#attemptFailures >= this.#parts.setting.failuresMax) this.#lose('its attempts fail');
  }

  /** Nobody listens at its address. */
  refused(): void {
    this.#lose(MISSED.refused);
  }

  /** Sends no more probes. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #probe(): Promise<void> {
    const probe = await this.#parts.probe();
    if (this.#closed) return;
    if (probe === 'alive') this.#passed();
    else this.#missed(probe);
  }

  #passed(): void {
    const { setting } = this.#parts;
    this.#probeFailures = 0;
    if (this.#healthy && this.#attemptFailures === 0) this.#retryMs = setting.retryMs;
    this.#schedule(setting.intervalMs);
    if (!this.#healthy) {
      this.#attemptFailures = 0;
      this.#lastFailed = null;
      this.#change(true, 'its probe passed');
    }
  }

  #missed(probe: Missed): void {
    const { setting } = this.#parts;
    this.#probeFailures++;
    if (!this.#healthy) this.#stillLost(probe);
    else if (probe === 'refused' || this.#probeFailures >= setting.failuresMax) this.#lose(MISSED[probe]);
    else this.#schedule(setting.retryMs);
  }

  /** A pod that was never well has no change to tell of: its first missed probe is told instead. */
  #stillLost(probe: Missed): void {
    this.#retryLater();
    if (this.#probeFailures > 1 || this.#everHealthy) return;
    this.#parts.onChange(MISSED[probe]);
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

  /** Up to a fifth more than asked for, so that many gateways do not probe in step. */
  #schedule(ms: number): void {
    this.#timer?.cancel();
    if (this.#closed) return;
    const delayMs = Math.ceil(ms * (1 + this.#parts.random.next() / 5));
    this.#timer = this.#parts.clock.after(delayMs, () => void this.#probe());
  }

  #change(healthy: boolean, reason: string): void {
    this.#everHealthy ||= healthy;
    this.#healthy = healthy;
    this.#parts.onChange(reason);
  }
}
