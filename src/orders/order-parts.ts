/** What the parts of the order service share. It builds each once, and is called back by them. */
import type { Clock } from '#base/clock.ts';
import type { JournalPort } from '#base/journal.ts';
import type { Log } from '#base/log.ts';
import type { Command, MarketView } from '#market/ports.ts';
import type { ResultKeeper } from '#results/keeper.ts';
import type { FundsBook } from './funds.ts';
import type { Idempotency } from './idempotency.ts';
import type { LiveOrder } from './live-order.ts';
import type { EndListener } from './order-facts.ts';
import type { PendingOrders } from './pending-orders.ts';
import type { RunTimes } from './ports.ts';
import type { Stops } from './stops.ts';
import type { OrderUnits } from './units.ts';
import type { WaitingInputs } from './waiting-inputs.ts';

/** The parts, and what the order service does for them. */
export interface OrderServiceParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly journal: JournalPort<OrderUnits>;
  readonly market: Pick<MarketView, 'current'>;
  readonly funds: FundsBook;
  readonly pending: PendingOrders;
  readonly inputs: WaitingInputs;
  readonly idempotency: Idempotency;
  readonly keeper: ResultKeeper;
  readonly stops: Stops;
  readonly sendCommand: (command: Command) => void;
  /** An order whose row is queued goes back to its queue, and to its book unless it is held back; its slot has been given back. */
  readonly requeued: (order: LiveOrder) => void;
  /**
   * The order has ended, or was never created. Once `written` resolves, its row says so. Until then, and if `written`
   * rejects, this gateway remembers the order: otherwise its row would be picked up and run.
   */
  readonly forget: (order: LiveOrder, written?: Promise<unknown>) => void;
  /**
   * Whether a slot is given back only once the end of its attempt has committed: where others commit the next admission.
   * Otherwise it is given back before that is written, as one journal commits in order.
   */
  readonly releaseAfterCommit?: boolean;
  /** An order of a customer was settled. */
  readonly settled?: (times: RunTimes) => void;
  readonly onEnd?: EndListener;
}
