/**
 * Whether the data folder is the one that the other gateways use: the results and inputs of orders that this one adopts
 * are in it. A file in the folder has a number, and the database has the same.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '#base/random.ts';
import type { Database } from '#storage/database/database.ts';
import { DatabaseRefused } from '#storage/database/refusal.ts';
import { int, type Row } from '#storage/database/values.ts';

const FILE = 'cluster';
const COUNTER = 'data_folder';

/**
 * Marks the folder for this database when no other gateway serves it, `alone`; otherwise rejects with DatabaseRefused
 * when the others' folder is another one.
 */
export async function checkSharedFolder(
  db: Database,
  { folder, alone, random }: { folder: string; alone: boolean; random: Random },
): Promise<void> {
  const file = join(folder, FILE);
  const row: Row | undefined = await db.knex('counters').where({ name: COUNTER }).first('value');
  const number = row ? int(row.value) : Math.floor(random.next() * 2 ** 48);
  if (row && numberIn(file) === number) return;
  if (row && !alone) {
    throw new DatabaseRefused(
      `the other gateways keep their data in another folder than ${folder}; mount theirs, or set SLUICE_DATA to a bucket`,
    );
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, `${number}\n`);
  if (!row) await db.knex('counters').insert({ name: COUNTER, value: number });
}

function numberIn(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8').trim());
  } catch {
    return null;
  }
}
