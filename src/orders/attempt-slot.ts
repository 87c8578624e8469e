/**
 * A slot of a pod, as the exchange gave it to one attempt. It is a value that can be given back once, so that a step that
 * comes late gives back the slot of its own attempt, and never that of the next one.
 */
import type { Admit, Command, Release } from '#market/ports.ts';

/** One slot, from the exchange's choice until it is given back. */
export class AttemptSlot {
  readonly attempt: number;
  readonly pod: string;
  #giveBack: ((reason: Release['reason']) => void) | null;

  constructor({ model, order, attempt, pod }: Admit, sendCommand: (command: Command) => void) {
    this.attempt = attempt;
    this.pod = pod;
    this.#giveBack = (reason) => sendCommand({ type: 'release', model, order, attempt, pod, reason });
  }

  /** Whether it has not been given back. */
  get held(): boolean {
    return this.#giveBack !== null;
  }

  /** Gives it back; later calls do nothing. */
  release(reason: Release['reason']): void {
    const giveBack = this.#giveBack;
    this.#giveBack = null;
    giveBack?.(reason);
  }
}
