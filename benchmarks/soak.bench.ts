/**
 * Memory under a million orders, 30 % of them left by their clients (`npm run soak`): the live heap at the end, in
 * multiples of that after the warm-up. `--quick` is 200,000 orders. Exits 1 when the soak has findings.
 */
import { parseArgs } from 'node:util';
import { steadySoak } from '#scripts/soak/steady.ts';
import { tellFigure } from './targets/figures.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const orders = values.quick ? 200_000 : 1_000_000;
const { isClean, heapRatio } = await steadySoak({ orders, abortedShare: 0.3, seed: 1 });
if (!Number.isNaN(heapRatio)) tellFigure('soak: live heap ÷ early', heapRatio);
process.exit(isClean ? 0 : 1);
