/** The journal of one simulated gateway: groups of units that commit one after the other, retried while that fails. */
import type { Clock } from '#base/clock.ts';
import type { JournalPort, OutcomeOf } from '#base/journal.ts';
import type { GatewayId } from '#cluster/messages.ts';
import type { GatewayOutcome, GatewayUnit, GatewayUnits, Group, SimulatedDatabase } from './simulated-database.ts';

const RETRY_MS = 100;

/** What it needs. */
export interface SimulatedJournalOptions {
  readonly gateway: GatewayId;
  readonly clock: Clock;
  readonly database: SimulatedDatabase;
  /** The gateway was declared dead: nothing of it commits any more. */
  readonly onLost: () => void;
}

/** Writes for one gateway. */
export class SimulatedJournal implements JournalPort<GatewayUnits> {
  readonly stalled = false;
  readonly #options: SimulatedJournalOptions;
  #queue: { readonly unit: GatewayUnit; readonly resolve: (outcome: GatewayOutcome) => void }[] = [];
  #busy = false;

  constructor(options: SimulatedJournalOptions) {
    this.#options = options;
  }

  write<Some extends GatewayUnit>(unit: Some): Promise<OutcomeOf<GatewayUnits, Some['kind']>> {
    return new Promise((resolve) => {
      this.#queue.push({ unit, resolve: resolve as (outcome: GatewayOutcome) => void });
      if (!this.#busy) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#busy = true;
    const { gateway, clock, onLost } = this.#options;
    while (this.#queue.length > 0) {
      await pause(clock, 0);
      const taken = this.#queue.splice(0);
      const outcomes = await this.#commit({ gateway, units: taken.map(({ unit }) => unit), outcomes: null });
      if (!outcomes) {
        onLost();
        return;
      }
      for (const [index, { resolve }] of taken.entries()) resolve(outcomes[index] as GatewayOutcome);
      await pause(clock, 0);
    }
    this.#busy = false;
  }

  async #commit(group: Group): Promise<readonly GatewayOutcome[] | null> {
    const { gateway, clock, database } = this.#options;
    for (;;) {
      try {
        return await database.ask(gateway, clock, () => database.commit(group));
      } catch {
        await pause(clock, RETRY_MS);
      }
    }
  }
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}
