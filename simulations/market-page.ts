/** Writes the table of attacks in docs/understand/market.md: `npm run market-page`, a minute or two. The seed is fixed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attackCosts, withTable } from './attack-costs.ts';

const FILE = join(import.meta.dirname, '../docs/understand/market.md');
const SEED = 1;

const table = attackCosts(SEED);
writeFileSync(FILE, withTable(readFileSync(FILE, 'utf8'), table));
