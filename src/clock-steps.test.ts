/** The machine's clock is set while things run: nothing that runs fails, and nothing stops. Dates step, durations do not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashKey, newApiKey } from '#accounts/keys/api-key.ts';
import { Authenticator } from '#accounts/keys/authenticator.ts';
import { silentLog } from '#base/log.ts';
import { HOUR_MS, MINUTE_MS } from '#base/time.ts';
import { BodyBudget } from '#http/body-budget.ts';
import { LocalExchange } from '#market/exchange/local-exchange.ts';
import { AttemptRun } from '#pods/attempt-run.ts';
import { SimulatedPod } from '#pods/simulated-pod.ts';
import { Journal } from '#storage/journal/journal.ts';
import { storingWhileBeating } from '#storage/leases/fence.ts';
import { someQuotes } from '#testing/listings.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { benchListing, faultOf, OrderServiceBench } from '#testing/order-service-bench.ts';
import { attemptRequest, podConfig, RecordingSink } from '#testing/pods.ts';
import { principalWith } from '#testing/principals.ts';

for (const [name, stepMs] of [
  ['half an hour forward', 30 * MINUTE_MS],
  ['an hour back', -HOUR_MS],
] as const) {
  describe(`the clock is set ${name}`, () => {
    test('a running attempt goes on, and its silence is noticed in time', async () => {
      const clock = new ManualClock();
      const sink = new RecordingSink();
      const config = podConfig({ firstTokenTimeoutMs: 1000, idleTimeoutMs: 300, totalTimeoutMs: 20 * MINUTE_MS });
      const run = new AttemptRun({
        config,
        request: attemptRequest(),
        sink,
        clock,
        onImplausibleUsage() {},
        stop() {},
      });
      clock.step(stepMs);
      await clock.advance(500);
      run.chunk({ choices: [{ index: 0, delta: { content: 'Hi' } }] });
      run.deliver();
      clock.step(stepMs);
      await clock.advance(299);
      assert.equal(sink.outcome, null);
      await clock.advance(1);
      assert.deepEqual(sink.outcome, { kind: 'failed', reason: 'silent for 300 ms' });
    });

    test('a simulated pod goes on at its pace', async () => {
      const clock = new ManualClock();
      const sink = new RecordingSink();
      const pod = new SimulatedPod(podConfig(), { clock, onImplausibleUsage() {} });
      pod.execute(attemptRequest({ x_simulate: { first_token_ms: 100, token_ms: 100, output_tokens: 20 } }), sink);
      await clock.advance(500);
      const before = sink.batches.length;
      clock.step(stepMs);
      await clock.advance(500);
      assert.ok(sink.batches.length > before && sink.outcome === null);
    });

    test('a caller waits ten seconds for a settlement, and no more or less', async () => {
      const bench = new OrderServiceBench();
      const { outcome } = await bench.running();
      bench.journal.pause();
      bench.pods.last.finish();
      let over = false;
      void outcome.then(() => {
        over = true;
      });
      bench.clock.step(stepMs);
      await bench.clock.advance(9000);
      assert.equal(over, false);
      await bench.clock.advance(2000);
      assert.equal(faultOf(await outcome).code, 'settlement_uncertain');
    });

    test('a new order waits for its market as long as before', async () => {
      const bench = new OrderServiceBench({ marketAnswerMs: 5000 });
      const { submission } = await bench.submit();
      let code = '';
      submission.catch((error) => {
        code = error.code;
      });
      bench.clock.step(stepMs);
      await bench.clock.advance(4999);
      assert.equal(code, '');
      await bench.clock.advance(1);
      assert.equal(code, 'unavailable');
    });

    test('a commit that has just begun does not count as stalled', async () => {
      const clock = new ManualClock();
      const driver = { apply: () => new Promise<never>(() => {}), close: async () => {} };
      const journal = new Journal({ driver, clock, log: silentLog });
      void journal.write({ kind: 'close' } as never);
      await clock.advance(1000);
      clock.step(stepMs);
      assert.equal(journal.lagMs, 1000);
      await clock.advance(HOUR_MS);
      assert.ok(journal.stalled);
    });

    test('a market that ticks does not count as stuck', async () => {
      const clock = new ManualClock();
      const listings = [benchListing()];
      const exchange = new LocalExchange({
        listings,
        clock,
        levelTimeConstantMs: 20_000,
        recovered: [],
        ...someQuotes(),
      });
      clock.step(stepMs);
      assert.equal(clock.monotonicMs() - exchange.tickedAtMs, 0);
      exchange.close();
    });

    test('a gateway whose beats succeed may store, and one whose beats fail may not', async () => {
      const clock = new ManualClock();
      const { mayStore } = storingWhileBeating(clock);
      clock.step(stepMs);
      assert.ok(mayStore());
      await clock.advance(MINUTE_MS);
      assert.equal(mayStore(), false);
    });

    test('a body that arrives is not taken for a slow one, and a slow one gives way', async () => {
      const clock = new ManualClock();
      const budget = new BodyBudget(100, clock);
      const { signal } = await budget.take(100, 'one');
      await clock.advance(5000);
      const second = budget.take(50, 'two');
      second.catch(() => {});
      clock.step(stepMs);
      await clock.advance(4000);
      assert.equal(signal.aborted, false);
      await clock.advance(7000);
      assert.ok(signal.aborted);
      await clock.advance(MINUTE_MS);
    });

    test('a result of authentication is used no longer than its time', async () => {
      const clock = new ManualClock();
      const secret = newApiKey();
      let asked = 0;
      const findByHash = async (hash: string) => {
        asked++;
        return hash === hashKey(secret) ? { owner: principalWith(), untilMs: null } : null;
      };
      const authenticator = new Authenticator({ store: { findByHash }, clock });
      const ask = () => authenticator.authenticate({ authorization: `Bearer ${secret}` }, 'key');
      await ask();
      clock.step(stepMs);
      await ask();
      assert.equal(asked, 1);
      await clock.advance(MINUTE_MS);
      await ask();
      assert.equal(asked, 2);
    });
  });
}
