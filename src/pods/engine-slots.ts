/** The slots of a pod that follows its engine: reads the engine's metrics every two seconds, for as long as the pod is there. */
import type { Clock, Timer } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { type EngineLoad, engineLoadOf } from './engine-load.ts';
import type { MetricsPage } from './pod.ts';
import { READ_MS, type SlotBounds, SlotControl } from './slot-control.ts';

interface EngineSlotsOptions {
  readonly bounds: SlotBounds;
  readonly clock: Clock;
  readonly log: Log;
  readonly pod: { readonly model: string; readonly id: string };
  /** Never rejects. */
  readonly read: () => Promise<MetricsPage>;
  /** Called after each change of its slots. */
  readonly onChange: () => void;
}

/** Follows one engine. */
export class EngineSlots {
  readonly #options: EngineSlotsOptions;
  readonly control: SlotControl;
  #timer: Timer | null = null;
  #closed = false;

  constructor(options: EngineSlotsOptions) {
    this.#options = options;
    this.control = new SlotControl(options.bounds);
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
    const { slots, blind } = this.control;
    const load = 'text' in page ? loadOf(page.text) : null;
    if (load) this.control.take(load);
    else this.control.miss();
    if (this.control.blind !== blind) this.#say('fault' in page ? page.fault : 'are not those of an engine known here');
    if (this.control.slots !== slots) this.#options.onChange();
  }

  /** Once when it becomes blind, and once when it sees again. */
  #say(fault: string): void {
    const { pod, log } = this.#options;
    const fields = { model: pod.model, pod: pod.id, slots: this.control.slots };
    if (this.control.blind)
      log.warn({ ...fields, fault }, `The slots of a pod are its fewest, because its metrics ${fault}.`);
    else log.info(fields, 'The slots of a pod follow its metrics again.');
  }
}

/** An unforeseen page is no reading either: a page must not end the gateway. */
function loadOf(text: string): EngineLoad | null {
  try {
    return engineLoadOf(text);
  } catch {
    return null;
  }
}
