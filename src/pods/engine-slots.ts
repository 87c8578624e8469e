/** The slots of a pod that follows its engine: reads the engine's metrics every two seconds, for as long as the pod is there. */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { type EngineLoad, engineLoadOf } from './engine-load.ts';
import type { MetricsPage } from './metrics-page.ts';
import { READ_MS, type SlotBounds, SlotControl } from './slot-control.ts';

/** What it needs. */
export interface EngineSlotsOptions {
  readonly bounds: SlotBounds;
  readonly clock: Clock;
  readonly log: Log;
  readonly pod: { readonly model: string; readonly id: string };
  /** Never rejects. */
  readonly read: () => Promise<MetricsPage>;
  /** Called after each change of `slots`. */
  readonly onChange: () => void;
}

/** Follows one engine. */
export class EngineSlots {
  readonly #options: EngineSlotsOptions;
  readonly #control: SlotControl;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: EngineSlotsOptions) {
    this.#options = options;
    this.#control = new SlotControl(options.bounds);
  }

  get slots(): number {
    return this.#control.slots;
  }

  get bounds(): SlotBounds {
    return this.#control.bounds;
  }

  set bounds(bounds: SlotBounds) {
    this.#control.bounds = bounds;
  }

  /** Whether its metrics cannot be read, so that it offers the fewest slots. */
  get blind(): boolean {
    return this.#control.blind;
  }

  /** Begins to read. Call once. */
  start(): void {
    void this.#read();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  async #read(): Promise<void> {
    const page = await this.#options.read();
    if (this.#closed) return;
    this.#timer = this.#options.clock.after(READ_MS, () => void this.#read());
    const [before, wasBlind] = [this.slots, this.blind];
    const load = 'text' in page ? loadOf(page.text) : null;
    if (load) this.#control.take(load);
    else this.#control.miss();
    if (this.blind !== wasBlind) this.#say('fault' in page ? page.fault : 'are not those of an engine known here');
    if (this.slots !== before) this.#options.onChange();
  }

  /** Once when it becomes blind, and once when it sees again. */
  #say(fault: string): void {
    const { pod, log } = this.#options;
    const fields = { model: pod.model, pod: pod.id, slots: this.slots };
    if (this.blind) log.warn({ ...fields, fault }, `The slots of a pod are its fewest, because its metrics ${fault}.`);
    else log.info(fields, 'The slots of a pod follow its metrics again.');
  }
}

/** What no parser foresaw is no reading either: a page must not end the gateway. */
function loadOf(text: string): EngineLoad | null {
  try {
    return engineLoadOf(text);
  } catch {
    return null;
  }
}
