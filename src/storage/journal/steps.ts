/**
 * What a unit does to the database, written once for both drivers: a generator that yields statements and receives their
 * replies. A driver that answers at once (SQLite) and one that waits (MySQL) run the same decisions.
 */
import type { Row, Value } from '../values.ts';

/** One statement, prepared and kept by its text. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** `changes` counts the rows that a write matched; `rows` are what a read found. */
export interface Reply {
  readonly changes: number;
  readonly rows: readonly Row[];
}

/** A sequence of statements that ends in an answer. */
export type Steps<Answer> = Generator<Statement, Answer, Reply>;

/** A statement for a step to yield; what it yields to answers with the reply. */
export function run(sql: string, ...params: Value[]): Statement {
  return { sql, params };
}

/** The first row that a read finds; null for none. */
export function* first(sql: string, ...params: Value[]): Steps<Row | null> {
  const { rows } = yield run(sql, ...params);
  return rows[0] ?? null;
}

/** Runs steps against a driver that answers at once. An error of the driver is thrown into the steps. */
export function runSync<Answer>(steps: Steps<Answer>, execute: (statement: Statement) => Reply): Answer {
  let turn = steps.next();
  while (!turn.done) {
    let reply: Reply;
    try {
      reply = execute(turn.value);
    } catch (error) {
      turn = steps.throw(error);
      continue;
    }
    turn = steps.next(reply);
  }
  return turn.value;
}

/** The same against a driver that answers later. */
export async function runAsync<Answer>(
  steps: Steps<Answer>,
  execute: (statement: Statement) => Promise<Reply>,
): Promise<Answer> {
  let turn = steps.next();
  while (!turn.done) {
    let reply: Reply;
    try {
      reply = await execute(turn.value);
    } catch (error) {
      turn = steps.throw(error);
      continue;
    }
    turn = steps.next(reply);
  }
  return turn.value;
}
