/**
 * Dry runs: the checks of a new order, in their order, without the order. Nothing is written, held, sent to the market or
 * reported to anybody. What only a start can show is left out: whether the model refuses the request, and whether a slot is
 * free at this very moment, so a full queue refuses it. docs/decisions/0056.
 */
import type { NanoUsd, PriceNano } from '#base/money.ts';
import { chargeOf, worstCaseOf } from '#ledger/tariff.ts';
import type { Intake } from './intake.ts';
import type { LiveOrder } from './live-order.ts';
import { outputCapAt, within } from './max-charge.ts';
import type { OrderRow } from './order.ts';
import type { OrderServiceParts } from './order-parts.ts';
import type { Submission } from './order-port.ts';
import type { Customer, InferenceRequest } from './request.ts';
import { drainingFault } from './stops.ts';
import { holdOf, priceNow } from './terms.ts';

/** The terms that an order would have. Amounts are 0 for a repeat, which creates none. */
export interface DryRun {
  readonly row: Pick<
    OrderRow,
    'model' | 'bid' | 'limit' | 'priceLock' | 'maxCharge' | 'promptEstimate' | 'promptBound'
  >;
  /** Null on fixed prices. */
  readonly level: PriceNano | null;
  /** The cap that a pod would get at the present price. */
  readonly outputCap: number;
  readonly hold: NanoUsd;
  /**
   * The charge at the present price for the estimated input alone, none of it cached; and with output up to the cap.
   */
  readonly inputCharge: NanoUsd;
  readonly expectedCharge: NanoUsd;
  /** The worst case at the bid. */
  readonly greatestCharge: NanoUsd;
  /** Seconds that it may wait for its start. */
  readonly waitS: number;
  /** The order whose answer a repeat gets; null for a new order. */
  readonly repeats: string | null;
}

interface DryRunOptions extends OrderServiceParts {
  readonly intake: Intake;
}

/** Says what `submit` would do. */
export class DryRuns {
  readonly #options: DryRunOptions;

  constructor(options: DryRunOptions) {
    this.#options = options;
  }

  /** The outcome of the request if it were sent now. Throws the Fault that `submit` would throw. */
  async of(customer: Customer, request: InferenceRequest): Promise<DryRun> {
    const { intake, funds, idempotency, pending, inputs, market, stops } = this.#options;
    if (stops.closing) throw drainingFault();
    const terms = intake.terms(customer, request, null);
    const earlier = request.idempotency && (await idempotency.find(customer, request));
    if (!earlier && !customer.house) await funds.freshBalance(customer.accountId);
    const order = await intake.dryOrder(customer, request, terms, earlier !== null);
    try {
      if (!earlier) {
        order.opening = {
          request,
          line: null,
          logPayloads: false,
          readsOwn: false,
          resolve: () => {},
          reject: () => {},
        };
        const refusal = pending.refusal(customer.accountId, false) ?? inputs.refusal(order);
        if (refusal) throw refusal;
      }
    } finally {
      // Left to the collector, every few large inputs would cost everybody a pause.
      inputs.forget(order);
    }
    return foretold(order, market.current(order.listing.id)?.level, earlier && orderIdOf(earlier));
  }
}

function foretold({ row, tariff, listing }: LiveOrder, level: PriceNano | undefined, repeats: string | null): DryRun {
  const price = priceNow(row, level);
  const { promptEstimate, promptBound, house } = row;
  const outputCap = outputCapAt(tariff, price, row);
  const amount = (charged: NanoUsd) => (repeats === null ? charged : 0n);
  const charged = (output: number) =>
    amount(within(chargeOf(tariff, price, { uncached: promptEstimate, cached: 0, output }), row));
  const worst = worstCaseOf(tariff, row.bid, { uncached: promptBound, cached: 0, output: row.outputCap });
  return {
    row,
    level: listing.type === 'fixed' ? null : (level ?? null),
    outputCap,
    hold: house ? 0n : amount(holdOf(tariff, price, row)),
    inputCharge: charged(0),
    expectedCharge: charged(outputCap),
    greatestCharge: amount(within(worst, row)),
    waitS: Math.ceil((row.expiresAtMs - row.createdAtMs) / 1000),
    repeats,
  };
}

function orderIdOf(earlier: Submission): string {
  switch (earlier.type) {
    case 'order':
      return earlier.ticket.orderId;
    case 'replay':
      return earlier.result.orderId;
    case 'accepted-before':
      return earlier.order.orderId;
  }
}
