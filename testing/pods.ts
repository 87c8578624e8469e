/** What tests of pods share: a pod's configuration, an attempt's request, and a sink that records its calls. */
import type { AttemptOutcome, AttemptRequest, AttemptSink } from '#orders/ports.ts';
import type { JsonObject } from '#orders/request.ts';
import { type PodConfig, podDefaults } from '#pods/pod.ts';
import type { GenerationEvent } from '#results/generation.ts';
import { Accumulator } from '#results/generation.ts';

/** A pod called `pod-1` of the listing `tide`. */
export function podConfig(own: Partial<PodConfig> = {}): PodConfig {
  return {
    ...podDefaults,
    id: 'pod-1',
    model: 'tide',
    url: null,
    upstreamModel: 'upstream-tide',
    slots: 4,
    contextLength: 8_192,
    answerBytesMax: 16 * 1024 * 1024,
    ...own,
  };
}

/** An attempt that asks `pod-1` with this body. */
export function attemptRequest(body: JsonObject = {}, own: Partial<AttemptRequest> = {}): AttemptRequest {
  return {
    orderId: '019bd4a0-0000-7000-8000-000000000001',
    attempt: 1,
    model: 'tide',
    pod: 'pod-1',
    generation: {
      body: { messages: [{ role: 'user', content: 'Hello' }], ...body },
      promptBound: 4_000,
      promptEstimate: 10,
    },
    outputCap: 1_000,
    trace: null,
    ...own,
  };
}

/** Records batches and the outcome; throws when called after the end, or at a second end. */
export class RecordingSink implements AttemptSink {
  readonly batches: (readonly GenerationEvent[])[] = [];
  outcome: AttemptOutcome | null = null;
  /** Resolves with the end. */
  readonly end: Promise<AttemptOutcome>;
  /** Called for each batch. */
  onEvents: () => void = () => {};
  readonly #resolve: (outcome: AttemptOutcome) => void;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<AttemptOutcome>();
    this.end = promise;
    this.#resolve = resolve;
  }

  events(batch: readonly GenerationEvent[]): void {
    if (this.outcome) throw new Error('events after the end');
    if (batch.length === 0) throw new Error('an empty batch');
    this.batches.push(batch);
    this.onEvents();
  }

  ended(outcome: AttemptOutcome): void {
    if (this.outcome) throw new Error('a second end');
    this.outcome = outcome;
    this.#resolve(outcome);
  }

  /** All events in order. */
  get all(): GenerationEvent[] {
    return this.batches.flat();
  }

  /** The answer that they add up to. */
  get generation() {
    const accumulator = new Accumulator();
    for (const event of this.all) accumulator.add(event);
    return accumulator.generation();
  }
}
