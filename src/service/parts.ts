/** The parts of a gateway, each under the name of the function that built it. */
import type { RequestRates } from '#access/request-rates.ts';
import type { SharedRates } from '#access/shared-rates.ts';
import type { Payments } from '#accounts/payments/payments.ts';
import type { LargeBodies } from '#handlers/large-bodies.ts';
import type { HealthOptions } from '#handlers/system.ts';
import type { Traces } from '#observe/traces/traces.ts';
import type { BackgroundAudit } from '#operator/background-audit.ts';
import type { Others } from './cluster.ts';
import type { BuiltMarket } from './market.ts';
import type { BuiltOrders } from './orders.ts';
import type { Reload } from './reload.ts';
import type { BuiltStorage, Outside } from './storage.ts';

/** Everything that the HTTP side uses. */
export interface Parts {
  readonly outside: Outside;
  readonly storage: BuiltStorage;
  readonly market: BuiltMarket;
  readonly orders: BuiltOrders;
  /** What is asked about other gateways; null where there are none. */
  readonly others: Others | null;
  readonly payments: Payments | null;
  /** Null where none are kept. */
  readonly traces: Traces | null;
  readonly audits: BackgroundAudit;
  /** Counts requests; by all gateways together where there are others. */
  readonly rates: RequestRates | SharedRates;
  readonly reload: Reload;
  /** When the markets last moved, wherever they are. */
  readonly markets: HealthOptions['exchange'];
  readonly right: HealthOptions['right'];
  /** The thread for large bodies, which the caller closes. */
  readonly largeBodies: LargeBodies;
}
