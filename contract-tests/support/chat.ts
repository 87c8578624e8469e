/** Bodies of chat requests, and independent arithmetic that checks their cost. */

/** A valid request to the market `tide`, changed by `fields`; undefined fields are omitted. */
export function chat(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { model: 'tide', messages: [{ role: 'user', content: 'Say hello.' }], price_limit: 5, ...fields };
}

/** Three figures, one for each kind of token. */
export interface PerKind {
  readonly cached: number;
  readonly uncached: number;
  readonly output: number;
}

/** The price of each kind of token at a level, USD per 1M tokens. Spec 1.4, 2.7. */
export function pricesAt(level: number, ratio: PerKind): PerKind {
  const mix = 0.9 * ratio.cached + 0.1 * ratio.uncached + 0.02 * ratio.output;
  const share = (weight: number) => (level * weight) / mix;
  return { cached: share(ratio.cached), uncached: share(ratio.uncached), output: share(ratio.output) };
}

/** What tokens cost in USD, rounded to nano-dollars. */
export function chargeOf(tokens: PerKind, prices: PerKind): number {
  const total = tokens.cached * prices.cached + tokens.uncached * prices.uncached + tokens.output * prices.output;
  return Math.round(total * 1e3) / 1e9;
}
