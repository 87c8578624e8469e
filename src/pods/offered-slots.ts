/** The slots that a pod offers: as the operator set them, or else as its engine allows or the file says, less while it has no room. */
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import { EngineSlots } from './engine-slots.ts';
import { FullPodBackoff } from './full-pod-backoff.ts';
import type { Pod, PodConfig } from './pod.ts';
import type { PodState } from './pod-state.ts';

/** The slots of a pod as the file has them: a number, or the most and the fewest. */
export type SlotsInFile = Pick<PodConfig, 'slots' | 'slotsMin'>;

interface OfferedSlotsOptions {
  readonly pod: Pod;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each change of what is offered. */
  readonly onChange: () => void;
}

/** The slots of one pod. */
export class OfferedSlots {
  readonly #options: OfferedSlotsOptions;
  /** How many of them are offered now. */
  readonly backoff: FullPodBackoff;
  #inFile: SlotsInFile;
  /** Null for a number that the file has. */
  #engine: EngineSlots | null;
  #byHand: number | null = null;
  #started = false;

  constructor(options: OfferedSlotsOptions) {
    this.#options = options;
    this.#inFile = options.pod.config;
    this.#engine = this.#engineOf(this.#inFile);
    this.backoff = new FullPodBackoff(this.#wanted, options.clock, options.onChange);
  }

  get auto(): PodState['slots']['auto'] {
    return this.#engine && { ...this.#engine.control.bounds, blind: this.#engine.control.blind };
  }

  /** Begins to follow the engine. */
  start(): void {
    this.#started = true;
    this.#engine?.start();
  }

  /** Null for the number in the file again. */
  setByHand(slots: number | null): void {
    this.#byHand = slots;
    this.backoff.resize(this.#wanted);
  }

  /** The file has others, which count from now on. */
  setInFile(inFile: SlotsInFile): void {
    this.#inFile = inFile;
    const { slots: max, slotsMin: min } = inFile;
    if (this.#engine && min !== null) this.#engine.control.bounds = { min, max };
    else {
      this.#engine?.close();
      this.#engine = this.#engineOf(inFile);
      if (this.#started) this.#engine?.start();
    }
    this.setByHand(null);
  }

  /** Whether the file has these. */
  isInFile({ slots, slotsMin }: SlotsInFile): boolean {
    return this.#inFile.slots === slots && this.#inFile.slotsMin === slotsMin;
  }

  close(): void {
    this.backoff.close();
    this.#engine?.close();
  }

  get #wanted(): number {
    return this.#byHand ?? this.#engine?.control.slots ?? this.#inFile.slots;
  }

  #engineOf({ slots: max, slotsMin: min }: SlotsInFile): EngineSlots | null {
    if (min === null) return null;
    const { pod, clock, log } = this.#options;
    const [bounds, onChange] = [{ min, max }, () => this.backoff.resize(this.#wanted)];
    return new EngineSlots({ bounds, clock, log, pod: pod.config, read: () => pod.metrics(), onChange });
  }
}
