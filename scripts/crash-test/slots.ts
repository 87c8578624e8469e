/** Looks at the slots of all pods all the time, as the database has them: none may have more executing orders. */
import { setTimeout as sleep } from 'node:timers/promises';
import { readBooks } from '../harness/database.ts';

const LOOK_MS = 25;
const RUNNING = "SELECT model, pod, COUNT(*) AS number FROM orders WHERE status = 'executing' GROUP BY model, pod";

/** The watch. */
export class SlotWatch {
  /** How often it has looked. */
  looks = 0;
  readonly #seen: string[] = [];
  readonly #watching: Promise<void>;
  #closed = false;

  /** Begins to watch every pod of the database, each of which has so many slots. */
  constructor(databaseUrl: string, slots: number) {
    this.#watching = this.#watch(databaseUrl, slots);
  }

  /** What was seen since the last call, as sentences. */
  findings(): string[] {
    return this.#seen.splice(0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#watching;
  }

  async #watch(databaseUrl: string, slots: number): Promise<void> {
    for (; !this.#closed; await sleep(LOOK_MS)) {
      // The database may be away for a moment.
      const rows = await readBooks(databaseUrl, RUNNING).catch(() => []);
      this.looks++;
      for (const { model, pod, number } of rows)
        if (Number(number) > slots) this.#seen.push(`pod ${pod} of ${model} ran ${number} orders in ${slots} slots`);
    }
  }
}
