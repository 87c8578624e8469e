/** What is counted of one account: of those alone that the operator has named, because each makes series of its own. */
import type { EndedOrder } from '#orders/order-facts.ts';
import type { MetricName } from './catalogue.ts';
import { labelText, sampleLine } from './text.ts';

/** Counts of one account. Every series of it begins at 0. */
export class AccountCounts {
  readonly #account: string;
  readonly #ends: Record<EndedOrder['status'], number> = { done: 0, error: 0, expired: 0, canceled: 0 };
  readonly #tokens = { input: 0, output: 0 };
  #chargedNano = 0;

  /** `account` is its id. */
  constructor(account: string) {
    this.#account = account;
  }

  /** An order of it has ended. */
  ended({ status, charge }: EndedOrder): void {
    this.#ends[status]++;
    if (!charge) return;
    this.#chargedNano += Number(charge.charged);
    this.#tokens.input += charge.tokens.uncached + charge.tokens.cached;
    this.#tokens.output += charge.tokens.output;
  }

  /** The lines of one metric of this account; none for a metric that is not of accounts. */
  *lines(name: MetricName): Iterable<string> {
    const account = this.#account;
    switch (name) {
      case 'sluice_account_orders_total':
        for (const [status, count] of Object.entries(this.#ends))
          yield sampleLine(name, labelText({ account, status }), count);
        return;
      case 'sluice_account_tokens_total':
        for (const [gen_ai_token_type, count] of Object.entries(this.#tokens))
          yield sampleLine(name, labelText({ account, gen_ai_token_type }), count);
        return;
      case 'sluice_account_revenue_usd_total':
        yield sampleLine(name, labelText({ account }), this.#chargedNano / 1e9);
    }
  }
}
