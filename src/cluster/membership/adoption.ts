/**
 * Adopts gateways that died or left: one of those that live declares such a gateway dead, so that nothing of it commits
 * any more, and then takes its orders and batches over (`orders/adopting.ts`, `batches/adopting.ts`). If the adopter dies on the way, the next one goes on; every step
 * can be repeated.
 */
import { type Clock, waitAtMost } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { GatewayId } from '../messages.ts';
import type { ClusterGateway, ClusterStore } from '../ports.ts';
import type { ClusterView } from './membership.ts';
import { preferredFor } from './rendezvous.ts';

/** How long to wait before a failed step is tried again, and before rows that were set apart are. */
const RETRY_MS = 1_000;
const SET_APART_MS = 30_000;
/** At how many beats in a row a gateway must be seen dead before any other than the preferred one adopts it. */
const LOOKS_OF_OTHERS = 4;

interface AdoptionOptions {
  readonly self: GatewayId;
  readonly store: Pick<ClusterStore, 'bury' | 'forget'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The dead gateway's orders are this gateway's from now on, and so are its slots until a message says otherwise. */
  readonly onBuried: (gateway: GatewayId) => void;
  /** Takes over what the database has of the gateway; safe to repeat. False when some of it was set apart. */
  readonly takeOver: (gateway: GatewayId) => Promise<boolean>;
  /** Called once the database has nothing of the gateway left. */
  readonly onForgotten: (gateway: GatewayId) => void;
}

/** Adopts the dead. A row that cannot be taken over does not hold up the others. */
export class Adoption {
  readonly #options: AdoptionOptions;
  readonly #adopting = new Map<GatewayId, Promise<void>>();
  readonly #looks = new Map<GatewayId, number>();
  readonly #closing = Promise.withResolvers<void>();
  #closed = false;

  constructor(options: AdoptionOptions) {
    this.#options = options;
  }

  /** Looks for the dead. */
  look(view: ClusterView): void {
    if (this.#closed) return;
    const candidates = view.fresh.map(({ id }) => id);
    for (const gateway of view.state.gateways) {
      if (this.#adopting.has(gateway.id)) continue;
      if (!view.isDead(gateway)) {
        this.#looks.delete(gateway.id);
        continue;
      }
      const looks = (this.#looks.get(gateway.id) ?? 0) + 1;
      this.#looks.set(gateway.id, looks);
      const { self } = this.#options;
      const isOurs = gateway.adopter === self || preferredFor(`gateway:${gateway.id}`, candidates) === self;
      if (!isOurs && looks < LOOKS_OF_OTHERS) continue;
      this.#looks.delete(gateway.id);
      const work = this.#bury(gateway).finally(() => this.#adopting.delete(gateway.id));
      this.#adopting.set(gateway.id, work);
    }
  }

  /** Adopts nobody else; resolves when the steps under way are done. The next gateway does the rest. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.resolve();
    await Promise.all(this.#adopting.values());
  }

  async #bury({ id, epoch, state, process, beatAgeMs }: ClusterGateway): Promise<void> {
    const { store, log, onBuried, onForgotten } = this.#options;
    try {
      if (!(await store.bury(id, epoch))) return;
    } catch (error) {
      // The next beat shows whether it is still dead.
      log.warn({ gateway: id, err: error }, 'A gateway could not be declared dead; trying again.');
      return;
    }
    const how = state === 'left' ? 'left' : 'died';
    log.warn({ gateway: id, process, beatAgeMs }, `A gateway ${how}: this one takes its orders over.`);
    onBuried(id);
    await this.#untilDone(id);
    if (!this.#closed) onForgotten(id);
  }

  async #untilDone(id: GatewayId): Promise<void> {
    const { store, clock, log, takeOver } = this.#options;
    let isFailing = false;
    while (!this.#closed) {
      let waitMs = SET_APART_MS;
      try {
        if (await takeOver(id)) {
          await store.forget(id);
          return;
        }
        isFailing = false;
      } catch (error) {
        if (!isFailing)
          log.error({ gateway: id, err: error }, 'The orders of a gateway could not be taken over; trying again.');
        isFailing = true;
        waitMs = RETRY_MS;
      }
      await waitAtMost(clock, waitMs, this.#closing.promise);
    }
  }
}
