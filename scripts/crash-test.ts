/**
 * `npm run crash-test [-- --rounds 20 --seed 1 --gateways 3]`: kills the gateway with SIGKILL at seeded
 * moments under load, restarts it each time, and proves that the books agree with what clients were answered: every receipt
 * is in the books with the same charge, each Idempotency-Key names one order that was charged once, also where nothing is
 * stored, no hold is left once idle, entries add up to balances. Uses SQLite in a folder of its own, or the database of
 * DATABASE_URL. With `--gateways 3` several gateways serve one MariaDB, and are killed, paused and cut off from each
 * other. Exits 1 on any finding.
 */
import { parseArgs } from 'node:util';
import { killUnderLoad } from './crash-test/trial.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    gateways: { type: 'string', default: '1' },
  },
});
const [rounds, seed, gateways] = [Number(values.rounds), Number(values.seed), Number(values.gateways)];
console.log(`${rounds} rounds, seed ${seed}`);
const findings = await killUnderLoad({ rounds, seed, gateways });
// A run that ended early leaves clients who still try.
process.exit(findings === 0 ? 0 : 1);
