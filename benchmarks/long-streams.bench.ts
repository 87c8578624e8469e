/**
 * A thousand long answers at once, each of 30 tokens a second: 30,000 tokens a second on one gateway. How many are lost,
 * how long a reader waits for the next token, and how much memory that takes; directly, through the floor and through this
 * gateway, in turn. `node benchmarks/long-streams.bench.ts [--quick]`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { markdownTable } from '#simulations/markdown-table.ts';
import { openLoadSetup } from './http/load-setup.ts';
import { bodyOf, markOf, warmUp } from './http/measure.ts';
import { processorTimeUs } from './http/processor-time.ts';
import { machine } from './machine.ts';
import { residentMib } from './memory/site.ts';
import { tellFigure } from './targets/figures.ts';

const STREAMS = 1_000;
const TOKEN_MS = 33;
const SECONDS = process.argv.includes('--quick') ? 10 : 30;
/** They begin within so many seconds. */
const BEGIN_S = 4;
const upstream = {
  ...{ model: 'long', chunks: Math.round((SECONDS * 1000) / TOKEN_MS), delayMs: TOKEN_MS },
  write: 'each',
} as const;
const short = { model: 'short', chunks: 50, write: 'each' } as const;
const scenario = { name: 'long streams', upstream, stream: true, connections: 0 };

const setup = await openLoadSetup([upstream, short], ['direct', 'floor', 'sluice']);
const rows: string[][] = [];
try {
  await warmUp(setup, [{ name: 'short streams', upstream: short, stream: true, connections: 64 }]);
  for (const target of setup.targets) {
    const pid = target.pidOf(upstream.model);
    const beforeUs = processorTimeUs(pid);
    const { failures, gaps, first, firstFailure } = await setup.openLoad({
      ...target.address(upstream.model),
      body: bodyOf(scenario),
      mark: markOf(scenario, target),
      perSecond: STREAMS / BEGIN_S,
      durationMs: BEGIN_S * 1000,
    });
    if (firstFailure !== null) console.log(`${target.name}, a bad answer: ${firstFailure}`);
    const perTokenUs = (processorTimeUs(pid) - beforeUs) / (STREAMS * upstream.chunks);
    const highest = pid === 0 ? Number.NaN : residentMib(pid).highest;
    const shown = [gaps.p50, gaps.p99, gaps.p999, first.p99, perTokenUs, highest].map((value) => value.toFixed(1));
    rows.push([target.name, String(failures), ...shown]);
    if (target.name === 'sluice') {
      tellFigure('long streams: dropped', failures);
      tellFigure('long streams: gap p99 ms', gaps.p99);
      tellFigure('long streams: MiB', highest);
    }
    await sleep(200);
  }
} finally {
  await setup.close();
}
console.log(`\n${STREAMS} streams of ${upstream.chunks} tokens, ${TOKEN_MS} ms apart, on ${machine()}\n`);
const columns = ['gap p50 ms', 'p99', 'p99.9', 'first token p99 ms', 'CPU µs a token', 'most MiB'];
console.log(markdownTable(['through', 'dropped', ...columns], rows));
