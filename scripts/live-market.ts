/**
 * `npm run live-market [-- --minutes 10 --seed 1 --only wall,leaves --together --json]`: plays the market over HTTP and in
 * real time, each day against a gateway in a process of its own with simulated pods: an honest crowd, the same crowd
 * beside a wall of orders that hold a slot, beside a flood of single tokens, and a crowd that leaves after four seconds. Prints what was measured beside
 * what the simulation says of the same orders, and whether prices moved less than they may. A day is measured for
 * `--minutes`, after three tenths of that as a warm-up. `--together` plays the days at once instead of in turn. Another
 * market: `--slots 64 --load 1.5 --job-seconds 8 --traders 50 --attackers 20`. Exits 1 when anything disagrees.
 */
import { parseArgs } from 'node:util';
import { MINUTE_MS } from '#base/time.ts';
import { type Day, days, type LiveMarket } from './live-market/days.ts';
import { type LiveDay, openMarket, playLive } from './live-market/live-day.ts';
import { type Outcome, outcomeOf, textOf } from './live-market/report.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: days.join(',') },
    together: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    slots: { type: 'string', default: '64' },
    load: { type: 'string', default: '1.5' },
    'job-seconds': { type: 'string', default: '8' },
    traders: { type: 'string', default: '50' },
    attackers: { type: 'string', default: '20' },
  },
});
const measuredMs = Number(values.minutes) * MINUTE_MS;
const market: LiveMarket = {
  slots: Number(values.slots),
  load: Number(values.load),
  runsMs: Number(values['job-seconds']) * 1000,
  seed: Number(values.seed),
  traders: Number(values.traders),
  attackers: Number(values.attackers),
  warmUpMs: 0.3 * measuredMs,
  measuredMs,
};
if (!Object.values(market).every((value) => value > 0)) throw new Error('every figure must be a number above 0');
const outcome = await playAll(wantedBy(values.only));
console.log(textOf(outcome));
if (values.json) console.log(JSON.stringify(outcome));
process.exitCode = outcome.ok ? 0 : 1;

/** The crowd is always played: the others are compared with it. */
function wantedBy(words: string): Day[] {
  const unknown = words.split(',').filter((word) => !days.some((day) => day === word));
  if (unknown.length > 0) throw new Error(`There is no day ${unknown}; the days are ${days.join(', ')}.`);
  return days.filter((day) => day !== 'crowd').filter((day) => words.split(',').includes(day));
}

async function playAll(attacks: readonly Day[]): Promise<Outcome> {
  const opened = await openMarket(market);
  try {
    const played: Promise<LiveDay>[] = [];
    for (const day of ['crowd', ...attacks] as const) {
      console.error(`${day}: ${values.minutes} minutes, seed ${values.seed}`);
      played.push(playLive(day, market, opened));
      if (!values.together) await played.at(-1);
    }
    // When one fails, the gateways of the others still have to be ended.
    await Promise.allSettled(played);
    return outcomeOf(market, await Promise.all(played));
  } finally {
    opened.site.remove();
  }
}
