/** One pod with its health, its slots and the attempts that run there, as the pool keeps it. */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { Capacity } from '#market/ports.ts';
import type { Attempt, AttemptOutcome, AttemptRequest, AttemptSink, PodReport, PodSetting } from '#orders/ports.ts';
import { Backend } from './backend.ts';
import { PodHealth } from './health.ts';
import { OfferedSlots, type SlotsInFile } from './offered-slots.ts';
import type { Ping, Pod, PodConfig } from './pod.ts';
import type { PodState, PodView } from './pod-state.ts';
import { type AttemptTimes, PodWork } from './pod-work.ts';
import { SimulatedPod } from './simulated-pod.ts';

/** What the pool needs. */
export interface PodPoolOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called for every pod at `start`, then whenever its slots or its health change. */
  readonly onCapacity: (capacity: Capacity) => void;
  /** Where several gateways run attempts on the same pods: called with what the others should know. */
  readonly onReport?: (report: PodReport) => void;
  /** An attempt on a pod of this model ended after `ms`. */
  readonly onAttempt?: (model: string, outcome: AttemptOutcome['kind'], ms: number) => void;
}

/** One pod. */
export class PooledPod implements PodView {
  readonly #pod: Pod;
  readonly #options: PodPoolOptions;
  readonly #health: PodHealth;
  readonly #slots: OfferedSlots;
  readonly #running = new Set<TrackedAttempt>();
  readonly #work = new PodWork();
  /** Why it is healthy or not, and since when. */
  #verdict: { readonly reason: string; readonly sinceMs: number } | null = null;
  #setting: PodSetting = { draining: false, slots: null };
  #drainingSinceMs: number | null = null;
  /** Resolves when nothing runs here any more; null unless it leaves. */
  #left: PromiseWithResolvers<void> | null = null;
  /** The slots that were last reported. */
  #reportedSlots: number;
  #usageWarned = false;
  /** Whether it answered a trial although its list of models lacks its own. */
  #servesUnlisted = false;
  /** Whether the others learned of a failure, and of no answer since. */
  #owesAnswer = false;

  constructor(config: PodConfig, options: PodPoolOptions) {
    const { clock, random } = options;
    const onImplausibleUsage = () => this.#usageRejected();
    // Redacting searches the whole request, so that it waits until a line is really written.
    const onComplaint = (order: string, said: () => string) => {
      const fields = { order, model: config.model, pod: config.id, said: { toJSON: said } };
      options.log.debug(fields, 'The backend explained a failure.');
    };
    this.#options = options;
    this.#pod =
      config.url === null
        ? new SimulatedPod(config, { clock, onImplausibleUsage })
        : new Backend(config, {
            clock,
            onImplausibleUsage,
            onComplaint,
            onConnectionRefused: () => this.#health.connectionRefused(),
          });
    this.#health = new PodHealth({
      clock,
      random,
      ping: () => this.#pinged(),
      trial: () => runTrial(this.#pod, random),
      onChange: (reason) => this.#healthChanged(reason),
    });
    this.#slots = new OfferedSlots({ pod: this.#pod, clock, log: options.log, onChange: () => this.#slotsChanged() });
    this.#reportedSlots = this.#slots.backoff.slots;
  }

  /** Some servers, such as llama.cpp's, take every name: a trial shows whether one that does not list its model serves it. */
  async #pinged(): Promise<Ping> {
    const ping = await this.#pod.ping();
    this.#servesUnlisted = ping === 'unlisted' && (this.#servesUnlisted || (await this.#answersTrial()));
    return this.#servesUnlisted ? 'alive' : ping;
  }

  async #answersTrial(): Promise<boolean> {
    return (await runTrial(this.#pod, this.#options.random, 'complete')) === 'alive';
  }

  start(): void {
    const { config } = this.#pod;
    if (config.url === null) {
      const sentence = 'This pod is simulated: its answers are made up, no model runs.';
      this.#options.log.info({ model: config.model, pod: config.id }, sentence);
    }
    this.#reportCapacity();
    this.#health.start();
    this.#slots.start();
  }

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    // Not `request` in the closure: it would keep the whole input until the end.
    const { orderId } = request;
    const tracked = new TrackedAttempt(sink, this.#options.clock, (outcome, times) => {
      this.#running.delete(tracked);
      this.#work.ended(outcome, times);
      this.#options.onAttempt?.(this.#pod.config.model, outcome.kind, times.endMs - times.startMs);
      this.#ended(orderId, outcome);
      if (this.#running.size === 0) this.#left?.resolve();
    });
    this.#running.add(tracked);
    tracked.attempt = this.#pod.execute(request, tracked);
    return tracked;
  }

  get capacity(): Capacity {
    const { model, id } = this.#pod.config;
    return { type: 'capacity', model, pod: id, slots: this.#offered, healthy: this.#health.healthy };
  }

  /** The settings that the operator made by hand. */
  get setting(): PodSetting {
    return this.#setting;
  }

  /** Attempts beyond the new slots go on; the pod gets no other until there is room again. */
  set(setting: PodSetting): void {
    this.#setting = setting;
    this.#drainingSinceMs = setting.draining ? (this.#drainingSinceMs ?? this.#options.clock.nowMs()) : null;
    this.#slots.setByHand(setting.slots);
    this.#slotsChanged();
  }

  /** The file changes its slots: that number counts from now on, whatever the operator set. */
  resize(inFile: SlotsInFile): void {
    this.#slots.setInFile(inFile);
    this.set({ ...this.#setting, slots: null });
  }

  /**
   * The file no longer has this pod, or has changed it. It reports nothing more, and closes once its running orders
   * have ended. Resolves then. May be followed by `close`.
   */
  async leave(): Promise<void> {
    this.#left ??= Promise.withResolvers();
    this.#drainingSinceMs ??= this.#options.clock.nowMs();
    this.#health.close();
    this.#slots.close();
    if (this.#running.size === 0) this.#left.resolve();
    await this.#left.promise;
    await this.#pod.close();
  }

  /** Whether this is the same pod, apart from its slots. */
  isAs(config: PodConfig): boolean {
    const others = { slots: 0, slotsMin: null };
    return isDeepStrictEqual({ ...this.#pod.config, ...others }, { ...config, ...others });
  }

  /** Whether the file gives it these slots. */
  hasSlots(inFile: SlotsInFile): boolean {
    return this.#slots.isInFile(inFile);
  }

  get #offered(): number {
    return this.#setting.draining ? 0 : this.#slots.backoff.slots;
  }

  get state(): PodState {
    const { model, id, url, added } = this.#pod.config;
    return {
      ...{ model, pod: id, url, added, healthy: this.#health.healthy },
      draining: this.#drainingSinceMs !== null,
      drainingSinceMs: this.#drainingSinceMs,
      reason: this.#verdict?.reason ?? null,
      sinceMs: this.#verdict?.sinceMs ?? null,
      slots: {
        configured: this.#slots.backoff.configured,
        allowed: this.#offered,
        busy: this.#running.size,
        auto: this.#slots.auto,
      },
      ...this.#work.figures,
    };
  }

  /** Whether it has completed an answer. */
  get answered(): boolean {
    return this.#work.figures.answers > 0;
  }

  async close(): Promise<void> {
    this.#health.close();
    this.#slots.close();
    for (const tracked of [...this.#running]) tracked.abort();
    await (this.#left?.promise ?? this.#pod.close());
  }

  /** Called before the sink, so that a requeued order already finds the new capacity. */
  #ended(order: string, outcome: AttemptOutcome): void {
    if (this.#left) return;
    if (outcome.kind === 'no-slot') {
      this.#slots.backoff.wasFull(this.#options.onReport ? this.#runningEverywhere : this.#running.size);
      this.#report(order, 'no-slot');
    }
    if (outcome.kind === 'complete') this.#slots.backoff.served();
    if (outcome.kind === 'complete' || outcome.kind === 'refused') {
      this.#health.served();
      // The others learn of an answer only where it ends a row of failures: there are too many.
      if (this.#owesAnswer) this.#report(order, 'served');
    }
    // A simulated pod fails because a request asked for it; that must not make it unhealthy for all others.
    if (outcome.kind === 'failed' && this.#pod.config.url !== null) {
      this.#health.failed(order);
      this.#report(order, 'failed');
    }
  }

  reported({ kind, order }: PodReport): void {
    if (kind === 'no-slot') this.#slots.backoff.wasFull(this.#runningEverywhere);
    if (kind === 'failed') this.#health.failed(order);
    if (kind === 'served') this.#health.served();
  }

  #report(order: string, kind: PodReport['kind']): void {
    const { model, id: pod } = this.#pod.config;
    this.#owesAnswer = kind !== 'served';
    this.#options.onReport?.({ model, pod, order, kind });
  }

  /** It is unknown how many attempts other gateways run, so all slots count as full but the refused one. */
  get #runningEverywhere(): number {
    return Math.max(this.#running.size, this.#slots.backoff.slots - 1);
  }

  /** Logged once, because a backend that counts differently does so in every answer. */
  #usageRejected(): void {
    if (this.#usageWarned) return;
    this.#usageWarned = true;
    const { model, id, contextLength } = this.#pod.config;
    const fields = { model, pod: id, context_length: contextLength };
    const sentence =
      "A pod reported token counts that cannot be true; its orders are charged by the gateway's own count.";
    this.#options.log.warn(fields, sentence);
  }

  #healthChanged(reason: string): void {
    const { model, id } = this.#pod.config;
    const { healthy } = this.#health;
    this.#verdict = { reason, sinceMs: this.#options.clock.nowMs() };
    const { engine } = this.#pod;
    const fields = { model, pod: id, url: this.#pod.config.url, engine, healthy, reason };
    if (healthy) this.#options.log.info(fields, 'A pod is healthy.');
    else
      this.#options.log.warn(
        fields,
        'A pod is not healthy and gets no orders: start it, or correct its url, model or api_key_env.',
      );
    this.#reportCapacity();
  }

  #slotsChanged(): void {
    if (this.#offered === this.#reportedSlots) return;
    this.#reportedSlots = this.#offered;
    const { model, id } = this.#pod.config;
    // Slots that follow the engine change every few seconds.
    this.#options.log[this.#slots.auto ? 'debug' : 'info'](
      { model, pod: id, slots: this.#offered },
      'The slots of a pod changed.',
    );
    this.#reportCapacity();
  }

  #reportCapacity(): void {
    if (!this.#left) this.#options.onCapacity(this.capacity);
  }
}

/**
 * Wraps the order service's sink to see the end of an attempt first. Then it drops its references to both: deleted
 * members of a Set stay reachable for a while, as `LiveOrder.end` explains.
 */
class TrackedAttempt implements Attempt, AttemptSink {
  attempt: Attempt | null = null;
  #sink: AttemptSink | null;
  readonly #clock: Clock;
  readonly #startMs: number;
  #firstOutputMs: number | null = null;
  readonly #onEnd: (outcome: AttemptOutcome, times: AttemptTimes) => void;

  constructor(sink: AttemptSink, clock: Clock, onEnd: (outcome: AttemptOutcome, times: AttemptTimes) => void) {
    this.#sink = sink;
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
    this.#onEnd = onEnd;
  }

  abort(): void {
    this.attempt?.abort();
  }

  events(batch: Parameters<AttemptSink['events']>[0]): void {
    this.#firstOutputMs ??= this.#clock.monotonicMs();
    this.#sink?.events(batch);
  }

  ended(outcome: AttemptOutcome): void {
    const sink = this.#sink;
    this.#sink = null;
    this.attempt = null;
    const times = { startMs: this.#startMs, firstOutputMs: this.#firstOutputMs, endMs: this.#clock.monotonicMs() };
    try {
      this.#onEnd(outcome, times);
    } finally {
      sink?.ended(outcome);
    }
  }
}

// A request of the gateway itself, for one token. It shows whether a pod whose attempts fail is broken, or was only
// sent orders that would fail on any pod. Orders cannot show that, because a failed order costs its sender nothing.

/**
 * Runs a trial. Any answer counts as alive, including a refusal or a lack of room, unless it must be `complete`. Never
 * rejects. `random` names it: the trials of several gateways may meet on one backend.
 */
function runTrial(pod: Pod, random: Random, wanted: 'any' | 'complete' = 'any'): Promise<Ping> {
  const { id, model } = pod.config;
  const body = { messages: [{ role: 'user', content: 'Hi' }] };
  const generation = { body, promptBound: 0, promptEstimate: 0 };
  const orderId = `trial-${Math.floor(random.next() * 2 ** 48).toString(16)}`;
  const request: AttemptRequest = { orderId, attempt: 1, model, pod: id, generation, outputCap: 1, trace: null };
  return new Promise((resolve) => {
    const isAlive = (kind: AttemptOutcome['kind']) => (wanted === 'any' ? kind !== 'failed' : kind === 'complete');
    const ended = ({ kind }: AttemptOutcome) => resolve(isAlive(kind) ? 'alive' : 'failing');
    pod.execute(request, { events: () => {}, ended });
  });
}
