/**
 * The charge of an order, recomputed from what is stored by the specification's formula alone. It shares no code with
 * `ledger/tariff.ts` on purpose: an audit that repeats a mistake does not find it. Spec 1.4.
 */

/** Token counts and price of a settled order. `level` is nano-dollars per 1M input tokens at the reference mix. */
export interface Priced {
  readonly tariffId: string;
  readonly level: bigint;
  readonly promptTokens: bigint;
  readonly cachedTokens: bigint;
  readonly outputTokens: bigint;
}

/**
 * Nano-dollars, rounded once, half to even; null when the tariff id cannot be read.
 *
 * A token of kind k costs level × ratio_k ÷ (0.9 cached + 0.1 uncached + 0.02 output), per million; a fixed price as it
 * stands.
 */
export function recomputeCharge(priced: Priced): bigint | null {
  const [type, ...parts] = priced.tariffId.split(':');
  if (parts.length !== 3 || !parts.every((part) => /^\d+$/.test(part))) return null;
  const [cached = 0n, uncached = 0n, output = 0n] = parts.map(BigInt);
  const worth =
    cached * priced.cachedTokens +
    uncached * (priced.promptTokens - priced.cachedTokens) +
    output * priced.outputTokens;
  if (type === 'fixed') return nearestEven(worth, 1_000_000n);
  if (type !== 'market') return null;
  const hundredthsOfMix = 90n * cached + 10n * uncached + 2n * output;
  return hundredthsOfMix === 0n ? null : nearestEven(100n * worth * priced.level, hundredthsOfMix * 1_000_000n);
}

/** Rounds half up, then undoes the step where a tie became an odd number. */
function nearestEven(numerator: bigint, denominator: bigint): bigint {
  const up = (2n * numerator + denominator) / (2n * denominator);
  const tie = (2n * numerator + denominator) % (2n * denominator) === 0n;
  return tie && up % 2n !== 0n ? up - 1n : up;
}
