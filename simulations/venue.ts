/**
 * What traders and attackers need of the place where they trade. It is a simulated floor, or a gateway that is reached
 * over HTTP: the same traders from the same seed send both of them the same orders.
 */
import type { Random } from '#base/random.ts';
import type { Agenda } from './agenda.ts';
import type { TraderOrder } from './floor.ts';

/** A place to trade, in simulated or real time. */
export interface Venue {
  readonly nowMs: number;
  readonly random: Random;
  readonly agenda: Pick<Agenda, 'after'>;
  /** Sends an order, and returns a name for it. */
  send(wish: TraderOrder): string;
  /** Whether an order has not started yet, as far as its owner knows. */
  isWaiting(order: string): boolean;
  /** Withdraws an order; has no effect on one that runs or has ended. */
  cancel(order: string): void;
}
