/** The chance of a start and the waits as answers tell them, coarsely: a book must not be counted by asking. docs/decisions/0055. */
import { upTheDecade } from '#base/decade.ts';
import { type ChanceByTime, chanceWithin, waitFor } from '#market/estimates/start-chance.ts';

/** Chances are told in twentieths, and waits in tenths of a decade: enough to decide by, too little to count a book with. */
const CHANCE_STEPS = 20;

/** Null chances are those that nobody knows. */
export function startTimes(chances: ChanceByTime | null, withinS: number) {
  const wait = (chance: number) => {
    const seconds = chances && waitFor(chances, chance);
    return seconds === null ? null : upTheDecade(seconds);
  };
  const within = chances && Math.floor(chanceWithin(chances, withinS) * CHANCE_STEPS + 0.5) / CHANCE_STEPS;
  return { chance: within, wait_p50_seconds: wait(0.5), wait_p90_seconds: wait(0.9) };
}
