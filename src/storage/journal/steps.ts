/**
 * What a unit does to the database, written once for both drivers: a generator that yields statements and receives
 * their results. A synchronous driver (SQLite) and an asynchronous one (MySQL) run the same code.
 */
import type { Row, Value } from '../database/values.ts';

/** One statement, prepared and cached by its text. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** `changes` is how many rows a write matched; `rows` are what a read returned. */
export interface StatementResult {
  readonly changes: number;
  readonly rows: readonly Row[];
}

/** A sequence of statements that returns an answer. */
export type Steps<Answer> = Generator<Statement, Answer, StatementResult>;

/** A statement to yield; `yield` returns its result. */
export function run(sql: string, ...params: Value[]): Statement {
  return { sql, params };
}

/** The first row of a read; null for none. */
export function* first(sql: string, ...params: Value[]): Steps<Row | null> {
  const { rows } = yield run(sql, ...params);
  return rows[0] ?? null;
}

/** Runs steps on a synchronous driver. An error of the driver is thrown into the steps. */
export function runSync<Answer>(steps: Steps<Answer>, execute: (statement: Statement) => StatementResult): Answer {
  let turn = steps.next();
  while (!turn.done) {
    let reply: StatementResult;
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

/** The same on an asynchronous driver. */
export async function runAsync<Answer>(
  steps: Steps<Answer>,
  execute: (statement: Statement) => Promise<StatementResult>,
): Promise<Answer> {
  let turn = steps.next();
  while (!turn.done) {
    let reply: StatementResult;
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
