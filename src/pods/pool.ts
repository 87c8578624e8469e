/**
 * All pods of all listings: runs attempts on them, watches their health and their room, and tells the exchange how many
 * slots there are. It never chooses a pod: the exchange does, and keeps count of what it has given away.
 */
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Random } from '#base/random.ts';
import type { Attempt, AttemptOutcome, AttemptRequest, AttemptSink, PodPort } from '#orders/ports.ts';
import { Backend } from './backend.ts';
import { Health, type HealthSetting, healthDefaults } from './health.ts';
import type { Pod, PodConfig } from './pod.ts';
import { SimulatedPod } from './simulated-pod.ts';
import { SlotAllowance } from './slot-allowance.ts';
import { tryOut } from './trial.ts';

/** The slots of one pod now; the shape of the exchange's `capacity` command. */
export interface PodCapacity {
  readonly type: 'capacity';
  readonly model: string;
  readonly pod: string;
  /** 0 to the configured number. */
  readonly slots: number;
  readonly healthy: boolean;
}

/** What the pool is made of. */
export interface PodPoolParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Called for every pod at `start`, then whenever its slots or its health change. */
  readonly onCapacity: (capacity: PodCapacity) => void;
  readonly health?: Partial<HealthSetting>;
}

/** The pods of this process. */
export class PodPool implements PodPort {
  readonly #members = new Map<string, Member>();

  /** Throws when two pods of a listing share an id. Nothing runs before `start`. */
  constructor(configs: readonly PodConfig[], parts: PodPoolParts) {
    for (const config of configs) {
      const key = keyOf(config.model, config.id);
      if (this.#members.has(key)) throw new Error(`Two pods of ${config.model} are called ${config.id}.`);
      this.#members.set(key, new Member(config, parts));
    }
  }

  /** Tells the capacity of every pod, unhealthy until its first ping has passed, and begins to ping. Call once. */
  start(): void {
    for (const member of this.#members.values()) member.start();
  }

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    const member = this.#members.get(keyOf(request.model, request.pod));
    if (member) return member.execute(request, sink);
    // The exchange may be ahead of a gateway that has lost a pod from its configuration.
    queueMicrotask(() => sink.ended({ kind: 'failed', reason: `there is no pod ${request.pod}` }));
    return { abort: () => {} };
  }

  /** Every pod as it is now, in the order of the configuration. */
  counts(): PodCapacity[] {
    return [...this.#members.values()].map((member) => member.capacity);
  }

  /** Aborts all attempts, stops pinging and closes all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#members.values()].map((member) => member.close()));
  }
}

function keyOf(model: string, pod: string): string {
  return `${model}\n${pod}`;
}

/** One pod with what is known about it. */
class Member {
  readonly #pod: Pod;
  readonly #parts: PodPoolParts;
  readonly #health: Health;
  readonly #slots: SlotAllowance;
  readonly #running = new Set<TrackedAttempt>();
  #usageDoubted = false;

  constructor(config: PodConfig, parts: PodPoolParts) {
    const { clock, random } = parts;
    const onUnbelievableUsage = () => this.#usageRejected();
    this.#parts = parts;
    this.#pod =
      config.url === null
        ? new SimulatedPod(config, { clock, onUnbelievableUsage })
        : new Backend(config, { clock, onUnbelievableUsage, onRefused: () => this.#health.refused() });
    this.#health = new Health({
      clock,
      random,
      setting: { ...healthDefaults, ...parts.health },
      ping: () => this.#pod.ping(),
      trial: () => tryOut(this.#pod),
      onChange: (reason) => this.#healthChanged(reason),
    });
    this.#slots = new SlotAllowance(config.slots, clock, () => this.#slotsChanged());
  }

  start(): void {
    const { config } = this.#pod;
    if (config.url === null) {
      const sentence = 'This pod is simulated: its answers are made up, no model runs.';
      this.#parts.log.warn({ model: config.model, pod: config.id }, sentence);
    }
    this.#tell();
    this.#health.start();
  }

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    const tracked = new TrackedAttempt(sink, (outcome) => {
      this.#running.delete(tracked);
      this.#ended(request.orderId, outcome);
    });
    this.#running.add(tracked);
    tracked.attempt = this.#pod.execute(request, tracked);
    return tracked;
  }

  get capacity(): PodCapacity {
    const { model, id } = this.#pod.config;
    return { type: 'capacity', model, pod: id, slots: this.#slots.slots, healthy: this.#health.healthy };
  }

  async close(): Promise<void> {
    this.#health.close();
    this.#slots.close();
    for (const tracked of [...this.#running]) tracked.abort();
    await this.#pod.close();
  }

  /** Before the sink is told, so that a requeued order already meets the new capacity. */
  #ended(order: string, outcome: AttemptOutcome): void {
    if (outcome.kind === 'no-slot') this.#slots.refused(this.#running.size);
    if (outcome.kind === 'complete') this.#slots.served();
    if (outcome.kind === 'complete' || outcome.kind === 'refused') this.#health.served();
    // A simulated pod fails because a request asks it to; that must not take it away from everybody else.
    if (outcome.kind === 'failed' && this.#pod.config.url !== null) this.#health.failed(order);
  }

  /** Told once: a backend that counts in another way does so in every answer. */
  #usageRejected(): void {
    if (this.#usageDoubted) return;
    this.#usageDoubted = true;
    const { model, id, contextLength } = this.#pod.config;
    const fields = { model, pod: id, context_length: contextLength };
    const sentence = 'A pod reported token counts that cannot be true; its orders are charged by our own count.';
    this.#parts.log.warn(fields, sentence);
  }

  #healthChanged(reason: string): void {
    const { model, id } = this.#pod.config;
    const { healthy } = this.#health;
    const fields = { model, pod: id, url: this.#pod.config.url, healthy, reason };
    if (healthy) this.#parts.log.info(fields, 'A pod is healthy.');
    else
      this.#parts.log.warn(
        fields,
        'A pod is not healthy and gets no orders: start it, or correct its url or api_key_env.',
      );
    this.#tell();
  }

  #slotsChanged(): void {
    const { model, id } = this.#pod.config;
    this.#parts.log.info({ model, pod: id, slots: this.#slots.slots }, 'The slots of a pod changed.');
    this.#tell();
  }

  #tell(): void {
    this.#parts.onCapacity(this.capacity);
  }
}

/**
 * Stands between a pod and the desk's sink, to see the end first. Then it lets go of both: deleted members of a Set stay
 * reachable for a while, as `LiveOrder.end` explains.
 */
class TrackedAttempt implements Attempt, AttemptSink {
  attempt: Attempt | null = null;
  #sink: AttemptSink | null;
  readonly #onEnd: (outcome: AttemptOutcome) => void;

  constructor(sink: AttemptSink, onEnd: (outcome: AttemptOutcome) => void) {
    this.#sink = sink;
    this.#onEnd = onEnd;
  }

  abort(): void {
    this.attempt?.abort();
  }

  events(batch: Parameters<AttemptSink['events']>[0]): void {
    this.#sink?.events(batch);
  }

  ended(outcome: AttemptOutcome): void {
    const sink = this.#sink;
    this.#sink = null;
    this.attempt = null;
    this.#onEnd(outcome);
    sink?.ended(outcome);
  }
}
