/** Which gateway counts for a caller, so that a gateway that comes or goes moves only the callers that it gets or had. */
import { preferredFor } from '../membership/rendezvous.ts';
import type { GatewayId } from '../messages.ts';
import type { Calls } from '../peers/calls.ts';

/** How long the home of a caller may take to answer: its request waits for it. */
const TAKE_MS = 250;

interface HomeGatewaysOptions<Taking, Grant> {
  readonly self: GatewayId;
  readonly calls: Pick<Calls, 'call' | 'handle'>;
  /** The gateways whose beats are fresh, this one included. */
  readonly living: () => readonly GatewayId[];
  /** Takes from a bucket of this gateway, for another one. */
  readonly serve: (taking: Taking) => Grant;
}

/** The homes of callers among the gateways that serve. */
export class HomeGateways<Taking, Grant> {
  readonly #options: HomeGatewaysOptions<Taking, Grant>;

  constructor(options: HomeGatewaysOptions<Taking, Grant>) {
    this.#options = options;
    options.calls.handle('rates.take', async (params) => options.serve(params as Taking));
  }

  get gateways(): number {
    return this.#options.living().length;
  }

  /** The gateway that counts for `key`; null: this one. */
  homeOf(key: string): GatewayId | null {
    const home = preferredFor(key, this.#options.living());
    return home === this.#options.self ? null : home;
  }

  async take(home: GatewayId, taking: Taking): Promise<Grant> {
    return (await this.#options.calls.call(home, 'rates.take', taking, TAKE_MS)) as Grant;
  }
}
