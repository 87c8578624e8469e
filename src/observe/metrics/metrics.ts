/** All metrics of a gateway as one text. Those that are counted are told through `counts`; the others are read. */
import type { Clock } from '#base/clock.ts';
import type { GatewayCounts } from './gateway-counts.ts';
import { type GaugeParts, gaugeReader } from './gauges.ts';
import { processReader } from './process.ts';
import { type SlowFacts, slowReader } from './slow-facts.ts';
import { metricsText } from './text.ts';

interface MetricsOptions {
  readonly counts: GatewayCounts;
  readonly gauges: GaugeParts;
  /** Reads what only the database knows; it may reject. */
  readonly facts: () => Promise<SlowFacts>;
  readonly clock: Clock;
}

/** Makes the text; scrapes at the same time share one. Never rejects for what does not answer: it is missing then. */
export function metricsReader({ counts, gauges, facts, clock }: MetricsOptions): () => Promise<string> {
  const readFacts = slowReader(facts, clock);
  const readProcess = processReader();
  let current: Promise<string> | null = null;
  const read = async () => {
    const gauge = gaugeReader(gauges, await readFacts());
    const text = await metricsText(function* (name) {
      yield* counts.lines(name);
      yield* gauge(name);
    });
    return `${text}${await readProcess()}`;
  };
  return () => {
    current ??= read().finally(() => {
      current = null;
    });
    return current;
  };
}
