/**
 * What traces cost: processor time of an order with tracing at one per cent and at all, beside the same gateway without,
 * in turn; and the work itself, alone in this process. `node benchmarks/tracing.bench.ts [--quick]`.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { systemClock } from '#base/clock.ts';
import { silentLog } from '#base/log.ts';
import { otlpTraces } from '#observe/traces/otlp.ts';
import type { Traces } from '#observe/traces/traces.ts';
import { markdownTable } from '#simulations/markdown-table.ts';
import { type Cost, costInTurn } from './in-turn.ts';
import { machine, median } from './machine.ts';
import { tellFigure } from './targets/figures.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const PACE = values.quick
  ? { starts: 1, rounds: 50, roundMs: 200, warmUpMs: 3_000 }
  : { starts: 2, rounds: 200, roundMs: 200, warmUpMs: 6_000 };

// It takes whatever comes, in this process: the gateways are in another.
const collector = createServer((request, response) => {
  request.resume().on('end', () => response.end());
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;

const [kept, notKept] = [await alone(1, 2_000), await alone(0, 50_000)];
const rows: string[][] = [];
// The first row compares two that are alike: what it is off 1 is what the others may be off.
for (const [name, share, target] of [
  ['none', null, ''],
  ['1 %', '0.01', ''],
  ['all', '1', ''],
] as const) {
  const on = share === null ? {} : { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_TRACES_SAMPLER_ARG: share };
  const cost = await costInTurn({ off: {}, on, ...PACE });
  rows.push([name, ...cells(cost), target]);
  if (share === '1') {
    // On a busy machine rounds are off by more than one per cent of this; its parts are not.
    const sum = 1 + 0.01 * (cost.ratio - 1) + (0.99 * notKept) / cost.offUs;
    rows.push(['1 %, by its parts', '', '', '', sum.toFixed(4), '', '≤ 1.02']);
    tellFigure('tracing at 1 %: processor time ÷ off', sum);
  }
}
console.log(`\nTraces on ${machine()}; rounds of ${PACE.roundMs} ms in turn, medians\n`);
const names = ['kept', 'pairs', 'without: CPU µs', 'with: CPU µs', 'with ÷ without', 'half of them', 'target'];
console.log(markdownTable(names, rows));
const alones = [[kept.toFixed(0), notKept.toFixed(2)]];
console.log(`\n${markdownTable(['the work alone: an order that is kept, µs', 'one that is not'], alones)}`);
collector.close();
collector.closeAllConnections();

function cells({ pairs, offUs, onUs, ratio, middle: [from, to] }: Cost): string[] {
  return [String(pairs), offUs.toFixed(0), onUs.toFixed(0), ratio.toFixed(3), `${from.toFixed(2)}–${to.toFixed(2)}`];
}

/** Microseconds for what traces do for an order, exports included; the median of eleven rounds. */
async function alone(ratio: number, orders: number): Promise<number> {
  const settings = { url: `${url}/v1/traces`, headers: {}, timeoutMs: 10_000, serviceName: 'bench', attributes: {} };
  const gateway = { clock: systemClock, log: silentLog, version: '0', instanceId: 'bench' };
  const times: number[] = [];
  for (let round = 0; round < 11; round++) {
    const traces = otlpTraces({ ...settings, sampling: { parentBased: true, ratio } }, gateway);
    const before = process.cpuUsage();
    for (let at = 0; at < orders; at++) {
      order(traces);
      // Exports go out while orders come in.
      if (at % 100 === 99) await new Promise(setImmediate);
    }
    await traces.close(30_000);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / orders);
  }
  return median(times);
}

function order(traces: Traces): void {
  const nowMs = systemClock.nowMs();
  const request = traces.begun({ method: 'POST', parent: null, atMs: nowMs });
  const { follower } = request.trace;
  const told = {
    orderId: '01980d3e-0000-7000-8000-000000000000',
    model: 'words',
    kind: 'chat',
    attended: true,
  } as const;
  const more = { ...told, batchId: null, bid: 1_000_000_000, price: 1_000_000_000, createdAtMs: nowMs };
  const pod = { attempt: 1, pod: 'words-1', outputCap: 256, queuedAtMs: nowMs, admittedAtMs: nowMs };
  const attempt = follower?.began({ ...more, ...pod });
  const usage = { promptTokens: 12, cachedTokens: 4, outputTokens: 8, reasoningTokens: null };
  attempt?.ended({ outcome: 'complete', firstOutputAtMs: nowMs, finishReason: 'stop', usage });
  const charge = {
    tokens: { uncached: 8, cached: 4, output: 8 },
    charged: 1000n,
    writtenOff: 0n,
    aboveBound: 0n,
    estimated: false,
  };
  const times = { endedAtMs: nowMs, waitedSinceMs: null, allMs: 1, queueMs: 0, pipelineMs: 1, firstTokenMs: 1 };
  follower?.ended({ ...more, ...times, account: 'bench', status: 'done', error: null, charge });
  const route = '/v1/chat/completions';
  request.ended({ route, status: 200, fault: null, orderId: told.orderId, gone: false, atMs: nowMs });
}
