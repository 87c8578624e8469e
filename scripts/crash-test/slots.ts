/**
 * Looks at the slots of all pods all the time: none may run more requests than it has, as the pods that are servers count
 * them, and none may have more executing orders in a database that several gateways share.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { MockBackend } from '#testing/mock-backend.ts';
import { readBooks } from '../harness/database.ts';

const LOOK_MS = 25;
const RUNNING = "SELECT model, pod, COUNT(*) AS number FROM orders WHERE status = 'executing' GROUP BY model, pod";

/** What is watched: every pod has as many slots. */
export interface WatchedSlots {
  readonly slots: number;
  readonly pods: readonly MockBackend[];
  /** Null: the database is not looked at. */
  readonly databaseUrl: string | null;
}

/** The watch. */
export class SlotWatch {
  /** How often it has looked. */
  looks = 0;
  /** The most requests that a pod counted at once. */
  most = 0;
  readonly #watched: WatchedSlots;
  readonly #seen: string[] = [];
  readonly #watching: Promise<void>;
  /** The pods that ran too much at the last look. */
  #overbooked = new Set<MockBackend>();
  #closed = false;

  constructor(watched: WatchedSlots) {
    this.#watched = watched;
    this.#watching = this.#watch();
  }

  /** What was seen since the last call, as sentences. */
  findings(): string[] {
    return this.#seen.splice(0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#watching;
  }

  async #watch(): Promise<void> {
    for (; !this.#closed; await sleep(LOOK_MS)) {
      this.looks++;
      this.#askPods();
      await this.#askDatabase();
    }
  }

  /** A caller that leaves frees its slot before the pod sees it leave: only what lasts until the next look is a finding. */
  #askPods(): void {
    const { pods, slots } = this.#watched;
    for (const pod of pods) this.most = Math.max(this.most, pod.running);
    const overbooked = pods.filter(({ running }) => running > slots);
    for (const pod of overbooked)
      if (this.#overbooked.has(pod))
        this.#seen.push(`pod ${pod.url} counted ${pod.running} requests in ${slots} slots`);
    this.#overbooked = new Set(overbooked);
  }

  async #askDatabase(): Promise<void> {
    const { databaseUrl, slots } = this.#watched;
    if (databaseUrl === null) return;
    // The database may be away for a moment.
    for (const { model, pod, number } of await readBooks(databaseUrl, RUNNING).catch(() => []))
      if (Number(number) > slots) this.#seen.push(`pod ${pod} of ${model} ran ${number} orders in ${slots} slots`);
  }
}
