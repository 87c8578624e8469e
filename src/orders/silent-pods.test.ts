/** How long an order may take on pods that give no output. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock } from '#base/clock.ts';
import { AttemptRun } from '#pods/attempt-run.ts';
import { faultOf, OrderServiceBench } from '#testing/order-service-bench.ts';
import { podConfig } from '#testing/pods.ts';
import type { AttemptRequest, AttemptSink, PodPort } from './ports.ts';

/** Pods that are sent requests and never answer; `breaksMs`: for how long before the connection breaks. */
class SilentPods implements PodPort {
  readonly #clock: Clock;
  readonly breaksMs: number[];
  attempts = 0;

  constructor(clock: Clock, breaksMs: number[]) {
    this.#clock = clock;
    this.breaksMs = breaksMs;
  }

  execute(request: AttemptRequest, sink: AttemptSink): AttemptRun {
    this.attempts++;
    const config = podConfig({ firstTokenTimeoutMs: 120_000 });
    const run = new AttemptRun({
      config,
      request,
      sink,
      clock: this.#clock,
      onImplausibleUsage: () => {},
      stop: () => {},
    });
    const breaks = this.breaksMs.shift();
    if (breaks !== undefined) this.#clock.after(breaks, () => run.guard(() => run.closed()));
    return run;
  }
}

for (const [name, breaksMs, attempts, seconds] of [
  ['hang', [], 2, 240],
  ['break just before they would be given up', [119_000, 119_000], 2, 238],
  ['break in the middle of their time, and then hang', [60_000], 3, 240],
  ['break after some seconds, and then hang', [30_000, 30_000], 4, 240],
  ['break at once, and then hang', [1_000, 1_000], 4, 240],
] as const)
  test(`pods that ${name} make a caller wait for two first-token timeouts at most`, async () => {
    const made: SilentPods[] = [];
    const bench = new OrderServiceBench({
      pods(clock) {
        const pods = new SilentPods(clock, [...breaksMs]);
        made.push(pods);
        return pods;
      },
    });
    const { orderId, outcome } = await bench.running();
    const beginMs = bench.clock.nowMs();
    for (let attempt = 2; bench.row(orderId).status !== 'error'; attempt++) {
      while (bench.row(orderId).status === 'executing') {
        await bench.clock.advance(1_000);
        await bench.settle();
      }
      if (bench.row(orderId).status === 'queued') await bench.admit(orderId, { attempt });
    }
    assert.equal(faultOf(await outcome).code, 'backend_error');
    assert.deepEqual([made[0]?.attempts, (bench.clock.nowMs() - beginMs) / 1_000], [attempts, seconds]);
  });
