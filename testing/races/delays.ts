/**
 * Delays and fails what a process waits for. Each call takes place a little later, whatever has become of the process,
 * and so does its answer: which of two calls ends first is drawn from the seed.
 */
import type Sqlite from 'better-sqlite3';
import knex from 'knex';
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { Database } from '#storage/database/database.ts';
import { sqlite } from '#storage/database/dialects/sqlite.ts';

/** The delays of a world. */
export class Delays {
  readonly #time: Clock;
  readonly #random: Random;
  /** Whether calls fail at all. */
  failing = true;

  constructor(time: Clock, random: Random) {
    this.#time = time;
    this.#random = random;
  }

  /** From 0 to below `max`. */
  draw(max = 1): number {
    return this.#random.next() * max;
  }

  /** A delay in milliseconds: mostly a few, seldom seconds. */
  delayMs(): number {
    const draw = this.draw();
    return draw < 0.02 ? draw * 100_000 : draw * draw * 30;
  }

  /** Runs `work` for the process with this clock. With probability `fails` it fails before or after it took effect. */
  run<Answer>(host: Clock, work: () => Answer | Promise<Answer>, fails = 0): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const failure = this.failing && this.draw() < fails ? new Error('a failure that nobody has seen') : null;
      const isEarly = failure !== null && this.draw() < 0.5;
      this.#time.after(this.delayMs(), async () => {
        let answer = () => reject(failure);
        try {
          const value = isEarly ? null : await work();
          if (!failure) answer = () => resolve(value as Answer);
        } catch (error) {
          answer = () => reject(error);
        }
        this.#time.after(this.delayMs(), () => host.after(0, answer));
      });
    });
  }

  /** `target`, whose methods all run so. */
  slow<Target extends object>(host: Clock, target: Target, fails = 0): Target {
    return new Proxy(target, {
      get: (_target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => this.run(host, () => Reflect.apply(value, target, given), fails);
      },
    });
  }

  /** `tables` as a database whose reads all run so. */
  slowDatabase(host: Clock, tables: Sqlite.Database, fails: number): Database {
    const reads = knex({ client: 'better-sqlite3', connection: { filename: '' }, useNullAsDefault: true, pool: { max: 0 } });
    const { client } = reads;
    const query = client._query.bind(client);
    client.acquireConnection = async () => tables;
    client.releaseConnection = async () => {};
    client._query = (connection: object, statement: object) => this.run(host, () => query(connection, statement), fails);
    return {
      address: { type: 'sqlite', filename: '' },
      dialect: sqlite,
      knex: reads,
      inWriteTurn: (work) => work(),
      close: () => reads.destroy(),
    };
  }
}
