/**
 * `npm run soak`: a gateway in a process of its own under long load. Prints the seed of its chance; exits 1 with findings.
 *
 * - `-- [--orders 1000000 --aborted 0.3 --seed 1 --quick]`: many orders while a share of the clients disconnects; memory
 *   must stay flat. `--quick` is 30,000 orders. See `soak/steady.ts`.
 * - `-- --hostile [--minutes 60 --life 30 --seed 1]`: kills, pauses of the database, misbehaving pods, callers and
 *   operator; the books must agree with what clients saw. `--life` is the time between kills in seconds. See
 *   `soak/hostile.ts`.
 */
import { parseArgs } from 'node:util';
import { hostileSoak } from './soak/hostile.ts';
import { steadySoak } from './soak/steady.ts';

const { values } = parseArgs({
  options: {
    orders: { type: 'string' },
    aborted: { type: 'string', default: '0.3' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
    hostile: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '60' },
    life: { type: 'string', default: '30' },
  },
});
const seed = Number(values.seed);
const isClean = values.hostile
  ? await hostileSoak({ minutes: Number(values.minutes), lifeSeconds: Number(values.life), seed })
  : (
      await steadySoak({
        orders: Number(values.orders ?? (values.quick ? 30_000 : 1_000_000)),
        abortedShare: Number(values.aborted),
        seed,
      })
    ).isClean;
// A soak that ended early leaves clients who still try.
process.exit(isClean ? 0 : 1);
