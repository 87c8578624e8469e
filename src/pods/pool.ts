/**
 * All pods of all listings: runs attempts on them, tracks their health and slots, and reports their capacity to the
 * exchange. It never chooses a pod: the exchange does, and counts the slots it has given away.
 */
import type { Capacity } from '#market/ports.ts';
import type { Attempt, AttemptRequest, AttemptSink, PodPort, PodReport, PodSetting } from '#orders/ports.ts';
import type { PodConfig } from './pod.ts';
import type { PodState } from './pod-state.ts';
import { type PodPoolOptions, PooledPod } from './pooled-pod.ts';

/** The pods of this process. */
export class PodPool implements PodPort {
  readonly #options: PodPoolOptions;
  #pods = new Map<string, PooledPod>();
  /** Pods that were removed from the configuration, or changed there, while something runs on them. */
  readonly #leaving = new Set<PooledPod>();
  /** The models of pods that have left and had answered. */
  readonly #answered = new Set<string>();

  /** Throws Error when two pods of a listing share an id. Nothing runs before `start`. */
  constructor(configs: readonly PodConfig[], options: PodPoolOptions) {
    this.#options = options;
    for (const config of configs) {
      const key = keyOf(config.model, config.id);
      if (this.#pods.has(key))
        throw new Error(`Two pods of ${config.model} have the id ${config.id}. Each needs its own.`);
      this.#pods.set(key, new PooledPod(config, options));
    }
  }

  /** Reports the capacity of every pod, unhealthy until its first successful ping, and starts pinging. Call once. */
  start(): void {
    for (const pooled of this.#pods.values()) pooled.start();
  }

  /**
   * The pods of the configuration from now on; ids are unique. New ones start. A removed pod gets no more orders, and
   * closes when its running orders have ended. A changed pod is replaced in the same way under the same name: the
   * exchange counts what runs on both. Slots alone change at once.
   */
  renew(configs: readonly PodConfig[]): void {
    const before = this.#pods;
    this.#pods = new Map(configs.map((config) => [keyOf(config.model, config.id), this.#renewed(config)]));
    for (const [key, pooled] of before) {
      if (this.#pods.get(key) === pooled) continue;
      this.#retire(pooled);
      if (!this.#pods.has(key)) this.#options.onCapacity({ ...pooled.capacity, slots: 0, healthy: false });
    }
    for (const [key, pooled] of this.#pods) if (before.get(key) !== pooled) pooled.start();
  }

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    const { orderId: order, model, pod } = request;
    const pooled = this.#pods.get(keyOf(model, pod));
    if (pooled) return pooled.execute(request, sink);
    // The exchange chose it before it left, or another gateway that read its file earlier. The order is not at fault.
    this.#options.onReport?.({ model, pod, order, kind: 'no-slot' });
    queueMicrotask(() => sink.ended({ kind: 'no-slot' }));
    return { abort: () => {} };
  }

  /** Another gateway has learned something of a pod; counted as if it were an attempt of this one. */
  reported(report: PodReport): void {
    this.#pods.get(keyOf(report.model, report.pod))?.reported(report);
  }

  /** The current capacity of every pod, in the order of the configuration. */
  counts(): Capacity[] {
    return [...this.#pods.values()].map((pooled) => pooled.capacity);
  }

  /** Every pod as this gateway sees it, in the order of the configuration, then those that leave. */
  states(): PodState[] {
    return [...this.#pods.values(), ...this.#leaving].map((pooled) => pooled.state);
  }

  /** The pod with this id; null for none. Ids are unique in the configuration. */
  find(id: string): PooledPod | null {
    return [...this.#pods.values()].find((pooled) => pooled.state.pod === id) ?? null;
  }

  /** Sets what the operator asked of a pod, for as long as this process lives. A pod with this id exists. */
  set(id: string, setting: PodSetting): void {
    this.find(id)?.set(setting);
  }

  /** Whether a pod of the model has completed an answer since `start`. */
  answered(model: string): boolean {
    const isOf = (pooled: PooledPod) => pooled.answered && pooled.capacity.model === model;
    return this.#answered.has(model) || [...this.#pods.values()].some(isOf);
  }

  /** Aborts all attempts, stops pinging and closes all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#pods.values(), ...this.#leaving].map((pooled) => pooled.close()));
  }

  /** The pod of a new configuration: the one that is there, if it is the same. */
  #renewed(config: PodConfig): PooledPod {
    const pooled = this.#pods.get(keyOf(config.model, config.id));
    if (pooled?.isAs(config)) {
      if (!pooled.hasSlots(config)) pooled.resize(config);
      return pooled;
    }
    const another = new PooledPod(config, this.#options);
    if (pooled) another.set({ ...pooled.setting, slots: pooled.hasSlots(config) ? pooled.setting.slots : null });
    return another;
  }

  #retire(pooled: PooledPod): void {
    if (pooled.answered) this.#answered.add(pooled.capacity.model);
    this.#leaving.add(pooled);
    const gone = () => this.#leaving.delete(pooled);
    pooled.leave().then(gone, (error: unknown) => {
      gone();
      this.#options.log.warn({ pod: pooled.capacity.pod, err: error }, 'A pod that left could not be closed.');
    });
  }
}

function keyOf(model: string, pod: string): string {
  return `${model}\n${pod}`;
}
