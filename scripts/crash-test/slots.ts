/**
 * Watches the slots of all pods: none may run more requests than it has, as the pods that are servers count them with
 * each request, and at no look may one have more executing orders in a database that several gateways share.
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
  /** The most requests that a pod ran at once. */
  most = 0;
  readonly #watched: WatchedSlots;
  readonly #seen: string[] = [];
  readonly #watching: Promise<void>;
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

  #askPods(): void {
    const { pods, slots } = this.#watched;
    for (const { url, busiest } of pods) {
      if (busiest.length > Math.max(this.most, slots))
        this.#seen.push(`pod ${url} ran ${busiest.length} requests in ${slots} slots: ${busiest.join(', ')}`);
      this.most = Math.max(this.most, busiest.length);
    }
  }

  async #askDatabase(): Promise<void> {
    const { databaseUrl, slots } = this.#watched;
    if (databaseUrl === null) return;
    // The database may be away for a moment.
    for (const { model, pod, number } of await readBooks(databaseUrl, RUNNING).catch(() => []))
      if (Number(number) > slots) this.#seen.push(`pod ${pod} of ${model} ran ${number} orders in ${slots} slots`);
  }
}
