/** Looks at the slots of all pods all the time, as the database has them: none may have more executing orders. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type RowDataPacket } from 'mysql2/promise';

const LOOK_MS = 25;

/** The watch. */
export interface SlotWatch {
  readonly looks: number;
  /** What was seen since the last call, as sentences. */
  findings(): string[];
  close(): Promise<void>;
}

/** Watches every pod of the database, each of which has so many slots. */
export async function watchSlots(url: string, slots: number): Promise<SlotWatch> {
  const pool = createPool({ uri: url.replace(/^mariadb:/, 'mysql:'), connectionLimit: 1 });
  const seen: string[] = [];
  let looks = 0;
  let closed = false;
  const watching = (async () => {
    while (!closed) {
      // The database may be away for a moment.
      const [rows] = await pool
        .query<RowDataPacket[]>(
          "SELECT model, pod, COUNT(*) AS number FROM orders WHERE status = 'executing' GROUP BY model, pod",
        )
        .catch(() => [[]] as [RowDataPacket[]]);
      looks++;
      for (const { model, pod, number } of rows) {
        if (Number(number) > slots) seen.push(`pod ${pod} of ${model} ran ${number} orders in ${slots} slots`);
      }
      await sleep(LOOK_MS);
    }
  })();
  return {
    get looks() {
      return looks;
    },
    findings: () => seen.splice(0),
    close: async () => {
      closed = true;
      await watching;
      await pool.end();
    },
  };
}
