/** The journal of an open database. */
import type { Clock } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { Database } from '../database.ts';
import { Journal } from './journal.ts';
import { MysqlDriver } from './mysql-driver.ts';
import { SqliteDriver } from './sqlite-driver.ts';

export type { Journal } from './journal.ts';

/** A journal that writes to `db`, whose tables `migrate` has made, on a connection of its own. Close it before `db`. */
export function createJournal(db: Database, options: { clock: Clock; log: Log; queueMax?: number }): Journal {
  const { address } = db;
  const driver = address.type === 'sqlite' ? new SqliteDriver(address.filename) : new MysqlDriver(address.url);
  return new Journal({ driver, ...options });
}
