/**
 * The chance that an order starts within a time, by a formula: the first passage of a walk with constant drift. It is a
 * thousand times as fast as the walk of `start-chance.ts`, and less right where orders ahead give up or rates change soon;
 * good enough for a bid that is looked at again every few seconds. docs/decisions/0057.
 */
import { type Queueing, USUAL_AFTER_S } from './start-chance.ts';

/** The chance, 0 to 1, of an order for which no slot is free. */
export function firstPassage(queueing: Queueing, seconds: number): number {
  const { ahead, free, served, outbid, outbidUsually, burstiness, givingUp } = queueing;
  if (seconds <= 0) return 0;
  const places = ahead + 1 - free;
  const lately = (USUAL_AFTER_S / seconds) * -Math.expm1(-seconds / USUAL_AFTER_S);
  const coming = outbidUsually + (outbid - outbidUsually) * lately;
  // On its way to the front there are half as many ahead, on the mean.
  const leaving = served + (givingUp * places) / 2;
  const drift = leaving - coming;
  const variance = leaving + coming * burstiness;
  const deviation = Math.sqrt(variance * seconds);
  const direct = scaledTail((places - drift * seconds) / deviation, 0);
  const reflected = scaledTail((places + drift * seconds) / deviation, (2 * drift * places) / variance);
  return Math.min(1, direct + reflected);
}

/**
 * e^`exponent` times the part of a standard normal distribution above `x`. The relative error is below 10^-6 however far
 * out: Numerical Recipes, `erfcc`. In one exponential, because the factors alone can be too large and too small.
 */
function scaledTail(x: number, exponent: number): number {
  const z = Math.abs(x) / Math.SQRT2;
  const t = 1 / (1 + z / 2);
  const series =
    1.00002368 +
    t *
      (0.37409196 +
        t *
          (0.09678418 +
            t *
              (-0.18628806 +
                t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277)))))));
  const tail = (t / 2) * Math.exp(exponent - z * z - 1.26551223 + t * series);
  return x >= 0 ? tail : Math.exp(exponent) - tail;
}
