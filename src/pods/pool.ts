/**
 * All pods of all listings: runs attempts on them, tracks their health and slots, and reports their capacity to the
 * exchange. It never chooses a pod: the exchange does, and counts the slots it has given away.
 */
import type { Attempt, AttemptRequest, AttemptSink, PodPort, PodReport, PodSetting } from '#orders/ports.ts';
import type { PodConfig } from './pod.ts';
import type { PodState, PodView } from './pod-state.ts';
import { type PodCapacity, type PodPoolOptions, PooledPod } from './pooled-pod.ts';

/** The pods of this process. */
export class PodPool implements PodPort {
  readonly #pods = new Map<string, PooledPod>();

  /** Throws Error when two pods of a listing share an id. Nothing runs before `start`. */
  constructor(configs: readonly PodConfig[], options: PodPoolOptions) {
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

  execute(request: AttemptRequest, sink: AttemptSink): Attempt {
    const pooled = this.#pods.get(keyOf(request.model, request.pod));
    if (pooled) return pooled.execute(request, sink);
    // The exchange may still know a pod that is no longer in the configuration.
    queueMicrotask(() => sink.ended({ kind: 'failed', reason: `there is no pod ${request.pod}` }));
    return { abort: () => {} };
  }

  /** Another gateway has learned something of a pod; counted as if it were an attempt of this one. */
  reported(report: PodReport): void {
    this.#pods.get(keyOf(report.model, report.pod))?.reported(report);
  }

  /** The current capacity of every pod, in the order of the configuration. */
  counts(): PodCapacity[] {
    return [...this.#pods.values()].map((pooled) => pooled.capacity);
  }

  /** Every pod as this gateway sees it, in the order of the configuration. */
  states(): PodState[] {
    return [...this.#pods.values()].map((pooled) => pooled.state);
  }

  /** The pod with this id; null for none. Ids are unique in the configuration. */
  find(id: string): PodView | null {
    return this.#find(id) ?? null;
  }

  /** Sets what the operator wants of a pod, for as long as this process lives. There is one with this id. */
  set(id: string, setting: PodSetting): void {
    this.#find(id)?.set(setting);
  }

  /** Whether a pod of the model has completed an answer since `start`. */
  answered(model: string): boolean {
    return [...this.#pods.values()].some((pooled) => pooled.answered && pooled.capacity.model === model);
  }

  /** Aborts all attempts, stops pinging and closes all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#pods.values()].map((pooled) => pooled.close()));
  }

  #find(id: string): PooledPod | undefined {
    return [...this.#pods.values()].find((pooled) => pooled.state.pod === id);
  }
}

function keyOf(model: string, pod: string): string {
  return `${model}\n${pod}`;
}
